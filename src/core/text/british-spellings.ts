/** British spellings as American ones: who likes the colour grey is found by "color" and "gray". */

const OUR =
  /^(arm|behavi|cand|clam|col|endeav|fav|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum|sav|splend|succ|tum|val|vap|vig)our/;

/** Words in -ise that have it only in British English; "exercise" and "promise" have it everywhere. */
const ISE =
  /^(apolog|author|categor|character|critic|custom|digit|emphas|final|general|hospital|idol|initial|item|legal|local|maxim|memor|minim|modern|normal|optim|organ|personal|priorit|public|real|recogn|reorgan|social|special|stabil|standard|summar|symbol|sympath|util|visual)is(?=e|i|a)/;

const YSE = /^(anal|catal|paral)ys(?=e|ing)/;

const WORDS: ReadonlyMap<string, string> = new Map(
  (
    'aluminium:aluminum catalogue:catalog centre:center centred:centered centres:centers cosy:cozy defence:defense ' +
    'dialogue:dialog fibre:fiber grey:gray jewellery:jewelry litre:liter litres:liters metre:meter ' +
    'metres:meters mould:mold moustache:mustache mum:mom mums:moms mummy:mommy offence:offense plough:plow programme:program programmes:programs pyjamas:pajamas sceptical:skeptical ' +
    'speciality:specialty theatre:theater theatres:theaters travelling:traveling tyre:tire tyres:tires yoghurt:yogurt'
  )
    .split(' ')
    .map((pair): [string, string] => {
      const [british = '', american = ''] = pair.split(':');
      return [british, american];
    }),
);

/** The word as it is, where there is only one spelling. Takes lower case. */
export function americanSpelling(word: string): string {
  return WORDS.get(word) ?? word.replace(OUR, '$1or').replace(ISE, '$1iz').replace(YSE, '$1yz');
}
