/** What instructions to a model look like, by what they do. */

import type { Suspicion } from '../../domain/suspicion.ts';
import { OVERRIDE } from './override-patterns.ts';
import { pattern, setsAside } from './pattern.ts';

const ROLE: readonly RegExp[] = [
  pattern(String.raw`(?:^|\n)[\s#*>_\-]{0,8}(?:assistant|developer)\**\s?:\**\s`),
  pattern(
    String.raw`(?:^|\n|\s{2}|["'.!?]\s)[#*>_\-]{0,8}\s?system\**\s?:\**\s{0,3}(?:you\b|ignore|always|never|from now|the (?:user|assistant|ai|previous)|all\b|do not|disregard|new\b|override|important|attention|security|memory|user\b|grant|reset)`,
  ),
  pattern(
    String.raw`#{2,6} ?(?:system|instructions?|assistant|response|new task|human|developer)\b ?(?:prompt|message|instructions?)?:`,
  ),
  pattern(String.raw`(?:^|\n)(?:human|user) ?:[^\n]{0,400}\n\s{0,4}(?:assistant|ai|system) ?:`),
  pattern(
    String.raw`[-=#*_~\x60]{2} ?/?(?:begin|start|end)\b[^\n]{0,30}\b(?:system|prompt|context|memor(?:y|ies)|notes|instructions|message|input|data|tool|untrusted|document|conversation|results?)\b`,
  ),
  pattern(String.raw`(?:"|')role(?:"|')\s?:\s?(?:"|')(?:system|developer|assistant)(?:"|')`),
  pattern(
    String.raw`\bend of (?:the )?(?:memory|memories|notes|recalled|retrieved|untrusted|tool)(?: (?:section|output|results?|data|content|notes))?\b[^\n]{0,60}(?:user|system|now|instruction|message|real)`,
  ),
];

const TOOL_CALL: readonly RegExp[] = [
  pattern(String.raw`"(?:tool_calls?|function_call|tool_use|tool_name|tool_call_id)"\s?:`),
  pattern(
    String.raw`"(?:name|function|tool|recipient_name)"\s?:\s?"[\w.\-]{2,60}"\s?,\s?"(?:arguments|parameters|input|args)"\s?:`,
  ),
  pattern(
    String.raw`\b(?:call|invoke|run|use|execute|trigger)\b (?:the )?["'\x60]?[a-z0-9]{1,30}_[a-z0-9_]{1,40}["'\x60]?\(?[^.\n]{0,30}(?:tool|function|with|\(|now|immediately)`,
  ),
  pattern(
    String.raw`\b(?:call|invoke|execute|run) (?:the )?(?:following )?(?:tool|function|shell command|bash command)s?\b[^.\n]{0,40}(?:now|immediately|:|with|\x60|first|before|without)`,
  ),
  pattern(
    String.raw`"(?:action|command|operation)"\s?:\s?"(?:[a-z]{1,20}_)?(?:delete|forget|send|transfer|execute|run|grant|drop|update|pay|write)[a-z]{0,12}"`,
  ),
  pattern(
    String.raw`\b(?:open|read|print|paste|send|cat|output|show|reply with|contents of)\b[^\n]{0,40}(?:~/\.ssh|id_rsa|/etc/passwd|\benvironment variables?\b|(?<![a-z\d])\.env\b)`,
  ),
  pattern(String.raw`\baction\s?:\s?\S{1,60}\s{1,4}action input\s?:`),
  pattern(
    String.raw`\b(?:rm -rf|curl|wget)\b[^\n]{0,80}(?:\||https?:|/)[^\n]{0,80}(?:bash|sh\b|\$\(|env\b|passwd|\.ssh|~/|/\*)`,
  ),
];

const DATA =
  'conversations?|chat(?: history| log)?|history|messages?|memor(?:y|ies)|secrets?|credentials?|api[ _-]?keys?|passwords?|tokens?|personal (?:data|information)|user(?:.s)? (?:data|info[a-z]{0,8}|name|email)|transcripts?|context|emails?|files?|inbox|answers?|everything|contents?|notes|invoices?|payments?|copy|copies|details|data';

/** Parameters of an address that carry what was said. */
const CARRIERS = 'data|payload|secret|token|prompt|history|conversation|chat|memory|memories|leak|exfil|d|q|c|m';

const EXFILTRATION: readonly RegExp[] = [
  pattern(
    String.raw`!\[[^\]\n]{0,200}\]\(\s?<?(?:https?:)?//[^)\s]{1,300}(?:[?&](?:${CARRIERS})=|\{|%7b|\$|[=/][\[<])`,
  ),
  pattern(
    String.raw`<(?:img|iframe|image|video|audio|source|embed|object|link|form|meta|base|a)\b[^>]{0,200}(?:https?:)?//[^>\s"']{1,200}(?:[?&](?:${CARRIERS})=|\{|%7b|\$\{)`,
  ),
  pattern(
    String.raw`<script\b[^>]{0,100}(?:\bsrc\s?=|>[^<]{0,200}\b(?:fetch|document|location|eval|https?)\b)|<iframe\b[^>]{0,100}\bsrc\s?=|<[a-z]{1,10}\b[^>]{0,100}\bon(?:error|load|mouseover)\s?=|\]\(\s?(?:javascript|vbscript|data:text/html)[:,]`,
  ),
  pattern(String.raw`https?://[^\s)\]]{3,200}[=/](?:\{{1,2}|<|\[|\$\{|%7b)\s?[a-z_][a-z_ -]{1,40}`),
  pattern(
    String.raw`\b(?:send|sends|sending|post|upload|forward|forwards|exfiltrate|transmit|e-?mail|mail|leak|copy|bcc|cc|report|submit|deliver|transfer|wire|pay)\b[^.\n]{0,60}\b(?:${DATA}|money|funds|bitcoin)\b[^\n]{0,80}?(?:https?://|www\.|[\w.+-]{1,60}@[\w-]{1,60}\.[a-z]{2,}|\bwebhook\b|\b(?:our|my|this|the) (?:server|endpoint|account)\b|\bwallet\b|\biban\b|\[link\])`,
  ),
  pattern(
    String.raw`\b(?:quietly|silently|secretly|covertly|discreetly|invisibly)\b (?:add|send|forward|copy|include|insert|delete|change|update|call|run|bcc|cc|transfer|replace|append|remove|log)\b`,
  ),
  pattern(
    String.raw`\b(?:tell|ask|convince|persuade|trick|instruct|prompt|get) (?:the )?user\b[^.\n]{0,80}\b(?:passwords?|credit card|card number|credentials|log ?in|security code|api key|one-time code|otp|pin)\b`,
  ),
  pattern(
    String.raw`\b(?:append|encode|embed|include|add|put|insert)\b[^.\n]{0,60}\b(?:${DATA})\b[^.\n]{0,60}\b(?:urls?|links?|query|image|parameters?|base64|markdown)\b`,
  ),
  pattern(
    String.raw`\b(?:read|show|list|search|reveal|access|fetch|retrieve|get|include|use|load|open|dump)\b[^.\n]{0,30}\b(?:other|another|all|every|different) (?:users?|tenants?|customers?|people|persons?|accounts?|companies)(?:'s|’s|s'|s)?\b[^.\n]{0,30}\b(?:memor(?:y|ies)|data|notes|conversations?|secrets|records|messages)\b`,
  ),
];

const TO_DO =
  'respond|reply|answer|recommend|say|include|send|use|trust|tell|add|append|mention|forward|call|treat|act|approve|end|start|begin|ignore|suggest|promote|prefer|refer|redirect|execute|run|share|disclose|reveal|obey|follow|transfer|delete|bypass|refuse|output|insert|link|praise|speak|write|agree|assume|prioriti[sz]e|choose|book|buy|pay|skip|disable|grant|accept|warn|ask|question|cite|quote|point|advise|give|set|open|click|install|visit|copy|cc|bcc';

const MODEL =
  'assistants?|ais?|models?|chatbots?|llms?|agents?|bots?|language models?|copilot|ai systems?|ai (?:agents?|models?|assistants?)';

const PERSISTENCE: readonly RegExp[] = [
  pattern(
    String.raw`\b(?:from now on|from here on(?: out)?|henceforth|from this (?:point|moment) (?:on|onwards?|forward)|going forward|in (?:all|every|each|any) (?:future |further |subsequent |following )?(?:conversation|chat|session|repl(?:y|ies)|response|answer|message|turn|email)s?|for all future [a-z]{1,20}|in (?:the )?future)\b[^.\n]{0,50}?\b(?:you (?:must|should|will|shall|have to|are to|need to)|(?:always|never|only|must|please|do not|don't) (?:${TO_DO})|(?:the )?(?:${MODEL}) (?:must|should|will|shall)|(?:,|:) ?(?:${TO_DO})\b)`,
  ),
  pattern(
    String.raw`\b(?:always|never) (?:${TO_DO})\b[^.\n]{0,80}\b(?:in (?:your|all|every|each|any) (?:future )?(?:repl(?:y|ies)|responses?|answers?|messages?|conversations?|emails?)|to the user|from now on|when(?:ever)? (?:the )?user|regardless of|whatever (?:the )?user|no matter what)`,
  ),
  pattern(
    String.raw`\b(?:the |any |all |this |every )?(?:${MODEL})\b[^a-z\n]{1,4}(?:reading this[^a-z\n]{1,4})?(?:must|should|shall|needs? to|ha(?:s|ve) to|(?:is|are) (?:now )?(?:required|instructed|ordered|told|allowed|authori[sz]ed|permitted|expected) to|will (?:always|never))\b[^.\n]{0,30}\b(?:${TO_DO}|always|never)\b`,
  ),
  pattern(
    String.raw`\b(?:the )?users?\b[^a-z\n]{1,3}(?:[a-z]{1,12} ){0,3}?(?:wants?|prefers?|asked|asks|authori[sz]e[sd]?|approved?|agreed|consent(?:s|ed)?|instructed|expects?|allows?|permits?|would like|gave permission|requested|likes|insists?)\b[^.\n]{0,40}\b(?:you to|(?:${MODEL}) to|always|automatically|without (?:asking|confirm[a-z]{0,6}|approval|being asked)|every (?:reply|response|answer|message))\b`,
  ),
  pattern(
    String.raw`\b(?:do not|don't|don’t|never|without|no need to) (?:tell|mention|inform|telling|informing|mentioning|reveal|revealing|alert|alerting|notify|notifying|warn|warning|ask|asking|show)(?:ing)?\b[^.\n]{0,30}\b(?:the )?user\b`,
  ),
  pattern(
    String.raw`\b(?:when|if|whenever|once|as soon as|next time|every time|any time|after)\b[^.\n]{0,12}\b(?:the |a |any )?(?:user|customer|someone|anyone|anybody)s?\b[^.\n]{0,70}?(?:,|:|then| you (?:must|should|will|shall)|always|immediately) {0,2}(?:you (?:must|should|will|shall) |always |immediately |please |then |first |silently )?(?:${TO_DO})\b`,
  ),
  pattern(
    String.raw`\b(?:save|store|write|add|commit|record|put|keep)\b[^.\n]{0,60}\b(?:to|in|into) (?:your|the|its|long[ -]term|permanent|persistent) (?:long[ -]term |permanent |persistent )?memory\b`,
  ),
  pattern(
    String.raw`\b(?:remember|memori[sz]e)\b[^.\n]{0,20}\b(?:this|that|to|the following)\b[^.\n]{0,30}\b(?:you (?:must|should|will|shall|always|never)|always (?:${TO_DO})|never (?:${TO_DO})|for (?:all )?future|in (?:all|every) (?:future )?(?:conversation|session|chat)|permanent(?:ly)?|instruction|rule for)\b`,
  ),
  pattern(
    String.raw`\b(?:attention|important|note|message|instructions?|reminder|dear)(?: (?:for|to))?(?: (?:the|any|all))? ?(?:${MODEL})\b ?(?:reading|processing|that|:|,|!|-)`,
  ),
  pattern(
    String.raw`\b(?:${MODEL})\b[^.\n]{0,20}\b(?:process|read|pars|summari[sz]|see|handl|analy[sz]|ingest|encounter|index)[a-z]{0,5} this\b`,
  ),
  pattern(String.raw`\b(?:secret|hidden|hide|conceal|withhold)\b[^.\n]{0,30}\bfrom the user\b`),
  pattern(
    String.raw`\bwhen (?:summari[sz]ing|answering|replying|responding|generating|writing (?:the )?(?:summary|answer|reply))\b[^.\n]{0,20}?,? (?:always |never |please |do not |don't )?(?:omit|ignore|mention|recommend|leave out|append|hide|claim|always|never)\b`,
  ),
  pattern(
    String.raw`(?:^|[.!?:\n] ?)(?:please |always |never |also )?(?:${TO_DO}|replace|put)\b[^.\n]{0,60}\b(?:every|each|all|any|your) (?:(?:future|outgoing) )?(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|outputs?|e?mails?)\b`,
  ),
  pattern(
    String.raw`(?:^|[.!?:\n] ?)(?:always|never) (?:${TO_DO})\b[^\n]{0,40}(?:[\w.]{1,40}@[\w-]{1,40}\.|https?://|outgoing)`,
  ),
  pattern(String.raw`\b(?:update|change|edit|clear|wipe|overwrite|erase) your (?:long[ -]term )?memor(?:y|ies)\b`),
  pattern(String.raw`\bif (?:you are )?asked\b[^.\n]{0,40}, ?(?:say|answer|claim|reply|respond|deny|pretend)\b`),
  pattern(String.raw`\bif you are (?:an? )?(?:${MODEL}|language model|large language model)\b`),
  setsAside(
    'merke? dir|ab (?:jetzt|sofort)|von nun an|kunftig',
    'immer|nie|niemals|stets|jede[a-z]?',
    'antwort|empfiehl|empfehl|sende|schick|sag|ignorier|verwende|erwahn',
  ),
  setsAside(
    'desormais|a partir de maintenant|dorenavant',
    'tu|vous|toujours|jamais|repon[a-z]{1,4}|recommand[a-z]{1,4}',
    'dois|devez|repon|recommand|envo|ignor|toujours|jamais|produit|lien',
  ),
  setsAside(
    'a partir de ahora|de ahora en adelante|a partir de agora|de agora em diante',
    'siempre|nunca|debes|sempre|deve|responde',
    'respon|recom|env|ignor|inclu|debes|deve|que',
  ),
  pattern(
    '(?:从现在开始|从今以后|今后|以后每次|從現在開始)[^。\\n]{0,20}(?:必须|总是|都要|永远|回复|推荐|回答|发送|忽略)',
  ),
  pattern('(?:今後|これから|以後)[^。\\n]{0,16}(?:必ず|常に|いつも)[^。\\n]{0,24}(?:返答|回答|答え|推薦|送信|勧め)'),
  pattern(
    '(?:с этого момента|отныне|впредь|теперь)[^.\\n]{0,24}(?:всегда|никогда|ты должен|вы должны|отвечай|рекомендуй|отправляй)',
  ),
];

export const PATTERNS: Readonly<Partial<Record<Suspicion, readonly RegExp[]>>> = {
  override: OVERRIDE,
  role: ROLE,
  tool_call: TOOL_CALL,
  exfiltration: EXFILTRATION,
  persistence: PERSISTENCE,
};
