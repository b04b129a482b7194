/** What sets the instructions of a model aside, in a dozen languages. */

import { pattern, setsAside, words } from './pattern.ts';

const INSTRUCTIONS =
  'instructions?|prompts?|rules|guidelines?|directions?|directives?|commands?|constraints?|restrictions?|polic(?:y|ies)|guardrails?|programming|system message|safeguards?|guidance';

export const OVERRIDE: readonly RegExp[] = [
  setsAside(
    String.raw`ignore|ignoring|disregard(?:ing)?|overlook|dismiss|abandon|(?<!(?:not|n't|n’t|never) )forget(?: about)?|override|bypass|overrule|discard|pay no attention to|set aside|stop (?:following|obeying)|(?:do not|don't|don’t|no longer) (?:follow|obey)`,
    'previous|previously|prior|above|earlier|preceding|original|system|your|all|any|initial|every|other|safety|existing|former|developer|foregoing',
    INSTRUCTIONS,
  ),
  pattern(
    String.raw`ignore\W{0,3}(?:all\W{0,3})?(?:the\W{0,3})?(?:previous|prior|above)\W{0,3}(?:instruction|prompt|rule)`,
  ),
  pattern(
    String.raw`ignore (?:everything|anything|all)(?: that| you)?(?: was| were| have been| are)?[^.]{0,20}(?:above|before|told|said|instructed)`,
  ),
  pattern(
    String.raw`\b(?:new|updated|revised|real|actual|secret|true) (?:system )?(?:instructions?|prompt|directives?|orders)(?: for (?:the )?(?:assistant|ai|model|agent|you))?\s*(?::|-|–|—|are\b|begin|follow)`,
  ),
  pattern(
    String.raw`\byou are (?:now|no longer|from now on|henceforth)\b[^.\n]{0,40}\b(?:assistant|ai|model|bot|dan|jailbroken|unrestricted|unfiltered|developer mode|admin|root|bound|restricted|chatgpt|claude|gemini|llama)\b`,
  ),
  pattern(
    String.raw`\b(?:developer|debug|god|dan|maintenance|sudo|admin|unrestricted) mode (?:is )?(?:now )?(?:on|enabled|activated|active)\b|\b(?:enable|enter|activate|switch to) (?:developer|debug|god|dan|sudo|unrestricted) mode\b|\bdo anything now\b|\bjailbr(?:eak|oken)\b`,
  ),
  pattern(
    String.raw`\b(?:act|behave|respond|pretend) as (?:if|though) (?:you (?:are|were|have|had)|there (?:are|were)) (?:no\b|not\b|an? (?:unrestricted|unfiltered|evil|admin|root))`,
  ),
  pattern(
    String.raw`\b(?:system|developer|admin(?:istrator)?|operator)[ _-](?:prompt|override|notice|message|note|instructions?|directive|update|command|alert)s?\b[^a-z\n]{0,12}[:\]>—-]`,
  ),
  pattern(
    String.raw`\b(?:reveal|print|repeat|show|output|leak|disclose|display|dump|recite|tell me|expose|copy|paste)${words(4)}(?:(?:system|initial|hidden|original) (?:prompt|instructions?|message)|your (?:[a-z]{1,12} ){0,2}(?:instructions|prompt|rules|guidelines|configuration|settings)|developer message|(?:all|the|any|users?|user's|their|every|stored) (?:api keys?|credentials|passwords|secrets|access tokens|private keys))`,
  ),
  pattern(
    String.raw`\b(?:verified|trusted|approved|signed|authori[sz]ed|issued|sent)\b[^.\n]{0,20}\b(?:by|from)\b[^.\n]{0,12}\b(?:the )?(?:admin(?:istrator)?s?|system|developers?|anthropic|openai|google|security team|operator|platform)\b`,
  ),
  pattern(String.raw`\btrust(?:_| )?(?:level|class)?\s*[:=]\s*["']?(?:user|high|full|system|trusted)\b`),
  pattern(
    String.raw`\b(?:takes? precedence over|supersedes?|overrides?|replaces?|outranks?)${words(3)}(?:other|previous|prior|all|any|anything|everything|earlier|system|your)${words(2)}(?:${INSTRUCTIONS}|memories|notes|written|said|earlier|entries)`,
  ),
  pattern(
    String.raw`\byour (?:new|only|real|true|actual) (?:goal|job|task|role|mission|objective|purpose|instructions?|identity)\b`,
  ),
  pattern(
    String.raw`\b(?:ignore|disregard|overlook|dismiss|forget|discard)\b[^.\n]{0,20}\b(?:whatever|what|everything|anything|all)\b[^.\n]{0,30}\b(?:told|instructed|creators?|developers?|makers?|trained|programmed)\b`,
  ),
  pattern(
    String.raw`\b(?:as|i am|this is|speaking as|on behalf of) (?:the |your |an? )?(?:chatbot |system |site |security |bot |ai )?(?:operator|administrator|admin|developer|owner|creator|maintainer)\b[^.\n]{0,30}\b(?:hereby|authori[sz]e|order|instruct|command|grant|approve|require)`,
  ),
  pattern(String.raw`\b(?:hidden|secret|covert) (?:task|instructions?|goal|command|directive|mission|order)s?\b`),
  pattern(String.raw`\bstop (?:being|acting as|behaving as) (?:an? )?(?:helpful |ai )?(?:assistant|ai|chatbot|bot)\b`),
  pattern(
    String.raw`\b(?:trust|believe|obey|follow) (?:only|nothing but) (?:this|the following|me)\b|\b(?:content|text|information|instructions|everything|notes|memories) (?:above|before|below) (?:is|are) (?:all )?(?:fake|false|void|invalid|obsolete|superseded)\b`,
  ),
  pattern(
    String.raw`\b(?:do (?:as|what)|obey|comply with|follow)\b[^.\n]{0,14}\bthis (?:page|document|note|memo|message|file|email|text|ticket|website|paragraph)\b`,
  ),
  pattern(
    String.raw`\bpretend\b[^.\n]{0,24}\b(?:safety|security|checks?|filters?|permission|admin|approved|authori[sz]ed)\b`,
  ),
  pattern(
    String.raw`\b(?:entry|note|memory|instruction|message|text|document)s? (?:has|have|takes?|is of|are of) (?:the )?(?:highest|top|absolute|maximum) (?:priority|precedence|authority)\b|\bother (?:entries|notes|memories) are (?:un[a-z]{4,12}|wrong|fake|false)\b`,
  ),
  pattern(
    String.raw`\bas (?:if|though) (?:it|they|he|she|this) (?:came|come|were|was) (?:from|sent by|written by|said by) (?:the |an? )?(?:account )?(?:user|owner|admin|system|operator)\b`,
  ),
  pattern(
    String.raw`\b(?:assistant|ai|model|agent|bot) (?:instructions?|directives?|commands?|orders?)\b[^a-z\n]{0,4}[:>-]`,
  ),
  pattern(
    String.raw`\byou (?:can|may|should|must|are allowed to) (?:now )?(?:skip|bypass|omit) (?:the |all |any )?(?:confirmation|verification|approval|checks?|review)`,
  ),
  pattern(
    String.raw`\bno matter what (?:else )?you (?:read|see|hear|are told|were told)\b|\byou (?:will|must|shall|are to) [^.\n]{0,40}\bfor the (?:rest|remainder) of (?:this|the) (?:chat|conversation|session)\b`,
  ),
  // German, French, Spanish and Portuguese, Italian, Dutch, Polish, Turkish.
  setsAside(
    'ignorier[a-z]{0,3}|vergiss|vergesst|missacht[a-z]{0,3}|ubergeh[a-z]{0,3}',
    'vorherig[a-z]{0,2}|bisherig[a-z]{0,2}|obig[a-z]{0,2}|fruher[a-z]{0,3}|vorangegangen[a-z]{0,2}|alle[a-z]{0,1}|deine',
    'anweisung|befehl|regeln|instruktion|vorgaben|richtlinien',
  ),
  setsAside(
    'ignor[a-z]{1,4}|oubli[a-z]{1,4}|ne (?:tiens|tenez|tenir) (?:pas|aucun|plus)(?: compte)?',
    'toutes?|tous|les|des|vos|tes',
    '(?:instructions?|consignes?|regles|directives?) (?:precedent|anterieur|ci-dessus|donnees|du systeme)',
  ),
  setsAside(
    'ignor[a-z]{1,4}|olvid[a-z]{1,4}|esquec[a-z]{1,4}|descart[a-z]{1,4}|desconsider[a-z]{1,4}|omit[a-z]{1,4}',
    'todas?|las|as|tus|suas|cualquier|quaisquer',
    '(?:instruccion[a-z]{0,2}|instruc[a-z]{1,4}|reglas|regras|ordenes|ordens|indicaciones) (?:anterior|previa|prévia|do sistema|del sistema|dadas)',
  ),
  setsAside(
    'ignor[a-z]{1,4}|dimentic[a-z]{1,4}',
    'tutte|le|qualsiasi|ogni',
    'istruzion[a-z] precedent|regole precedent|istruzion[a-z] del sistema',
  ),
  setsAside('negeer|vergeet', 'vorige|eerdere|alle|bovenstaande', 'instructies|regels|opdrachten'),
  setsAside('zignoruj|zapomnij|ignoruj', 'poprzedni[a-z]{0,3}|wszystkie|wczesniejsze', 'instrukcj|polecen|zasad'),
  pattern(
    String.raw`\b(?:onceki|tum|yukaridaki)${words(2)}(?:talimat|kural|komut)[a-z]{0,6}${words(2)}(?:yok say|gormezden gel|unut|dikkate alma)`,
  ),
  // Russian, Chinese, Japanese, Korean, Arabic, Hindi.
  pattern(
    '(?:игнорир|забуд|не обращай|отмени)[а-я]{0,6}[^.\\n]{0,30}(?:предыдущ|прошл|все|выше|системн)[^.\\n]{0,20}(?:инструкц|указани|правил|команд|промпт)',
  ),
  pattern(
    '(?:忽略|无视|忘记|忽視|無視|忘記|不要理会|不要遵守)[^。\\n]{0,14}(?:指令|指示|说明|規則|规则|提示|命令|說明|设定)',
  ),
  pattern('(?:指示|命令|プロンプト|ルール|指令|設定)[^。\\n]{0,12}(?:無視|忘れ|従わない)'),
  pattern('(?:지시|명령|프롬프트|규칙|지침)[^.\\n]{0,14}(?:무시|잊|따르지)'),
  pattern('(?:تجاهل|انس|تخطى|تخط)[^.\\n]{0,30}(?:التعليمات|الأوامر|القواعد|تعليمات)'),
  pattern('(?:निर्देश|नियम|आदेश)[^।\\n]{0,24}(?:अनदेखा|नज़रअंदाज़|भूल|उपेक्षा)'),
];
