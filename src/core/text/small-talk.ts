/** Whether a message asks for nothing: a greeting, thanks, a yes or no. In memory it finds small talk, and what was said around that. */

/** Of these words and of no others, and of at least one of them, is such a message. */
const SAYING = new Set(
  (
    'absolutely ah alright amazing awesome bye cheers congrats cool definitely exactly fine goodbye great ha haha hahaha hello hey hi hiya hm hmm indeed k kk lol lovely mhm nah nice no nope np oh ok okay okey ' +
    'perfect please right sorry sure ta thank thanks thx true ty understood welcome wonderful wow yay ya yeah yep yes yup gotcha ' +
    'bitte bonjour ciao danke genau gerne grazie gracias hallo hola ja merci moin na nein non obrigada obrigado oui prima salut servus si tschüss'
  ).split(' '),
);

/** Words that stand with those. */
const BESIDE = new Set(
  (
    'a again afternoon ahead all and are best both course day dear done evening everyone everybody folks for friend go good got great guys have help here how i is it just later lot luck made makes me ' +
    'morning much my never night not of on one perfectly problem quite really see sense so sounds still team that the then there this to today tomorrow too tonight u us very was weekend well will wishes works ' +
    'worries you your abend guten gute morgen nacht tag vielen dank viel très bien beaucoup muchas buenos buenas días noches'
  ).split(' '),
);

/** "Good morning" and the like, which have none of the former. */
const GREETING =
  /^(?:good (?:morning|afternoon|evening|night|day)|got it|makes sense|sounds good|well done|no worries|go ahead|of course|see you(?: later| soon| tomorrow)?|how are you|guten (?:morgen|tag|abend)|gute nacht|vielen dank|buenos d[ií]as)\b/u;

const MOST_WORDS = 8;

/** "Thanks, and tomorrow?" asks for something; "ok?" and "how are you?" do not. */
const ASKS = /\?/u;
const FEW_WORDS = 2;

export function isSmallTalk(message: string): boolean {
  const text = message
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’](?:s|re|m|ll)\b/gu, '');
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (ASKS.test(text) && words.length > FEW_WORDS && !/\bhow are you\b/u.test(text)) return false;
  const isSaid = words.some((word) => SAYING.has(word)) || GREETING.test(words.join(' '));
  return isSaid && words.every((word) => SAYING.has(word) || BESIDE.has(word));
}
