/** English forms that no rule leads back to their word: who asks "where did she go" is told "I went". */

const FORMS =
  'became:become began:begin begun:begin bent:bend bitten:bite blew:blow blown:blow bought:buy broke:break ' +
  'broken:break brought:bring built:build burnt:burn came:come caught:catch chose:choose chosen:choose crept:creep ' +
  'dealt:deal dreamt:dream drew:draw drawn:draw drank:drink drunk:drink drove:drive driven:drive dug:dig ate:eat ' +
  'eaten:eat fallen:fall fed:feed felt:feel fled:flee flew:fly flown:fly forgave:forgive forgiven:forgive ' +
  'forgot:forget forgotten:forget fought:fight froze:freeze frozen:freeze gave:give given:give gone:go got:get ' +
  'gotten:get grew:grow grown:grow heard:hear held:hold hid:hide hidden:hide hung:hang kept:keep knew:know known:know ' +
  'laid:lay learnt:learn led:lead lent:lend lit:light lost:lose made:make meant:mean met:meet paid:pay ran:run ' +
  'rang:ring rung:ring ridden:ride rode:ride risen:rise said:say sang:sing sung:sing sank:sink sunk:sink sat:sit ' +
  'seen:see sent:send sewn:sew shaken:shake shook:shake shone:shine shown:show shrank:shrink shrunk:shrink slept:sleep ' +
  'slid:slide sold:sell sought:seek spent:spend spoke:speak spoken:speak spun:spin stole:steal stolen:steal ' +
  'stood:stand struck:strike stuck:stick swam:swim swum:swim swept:sweep swore:swear sworn:swear swung:swing ' +
  'taken:take taught:teach thought:think threw:throw thrown:throw told:tell took:take tore:tear torn:tear ' +
  'understood:understand went:go wept:weep woke:wake woken:wake won:win wore:wear worn:wear wove:weave woven:weave ' +
  'written:write wrote:write children:child feet:foot geese:goose knives:knife men:man mice:mouse ' +
  'people:person shelves:shelf teeth:tooth thieves:thief wives:wife wolves:wolf women:woman ' +
  // Too short for the rules of the stemmer, or beyond them.
  'allergic:allergy buses:bus cried:cry cries:cry died:die dies:die dried:dry dries:dry dying:die flies:fly fried:fry fries:fry gases:gas ' +
  'lied:lie lies:lie lying:lie pies:pie skied:ski skies:sky spied:spy spies:spy tied:tie ties:tie tried:try tries:try ' +
  'tying:tie ' +
  // As dates are written. "Mar" and "may" are other words as well.
  'jan:january feb:february apr:april jun:june jul:july aug:august sep:september sept:september oct:october nov:november dec:december';

/** By form the word. Forms that are more often words of their own (left, found, saw, rose, bit; lives) stay as they are. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split(' ').map((pair): [string, string] => {
    const [form = '', word = ''] = pair.split(':');
    return [form, word];
  }),
);

/** What two of them were led back to before: texts were indexed so. */
export const FORMER_FORMS: ReadonlyMap<string, string> = new Map([
  ['bit', 'bite'],
  ['lives', 'life'],
]);
