/** What people tell an agent, made from patterns: enough different sentences for a million memories. */

import type { SeededRandom } from '../seeded-random.ts';

const SLOTS: Readonly<Record<string, readonly string[]>> = {
  who: words(
    'Anna|Ben|Chiara|Dmitri|Elena|Farid|Grace|Hiro|Ines|Jonas|Keiko|Liam|Mona|Nadia|Oscar|Priya|Quinn|Rosa|Samir|Tessa|Uma|Viktor|Wanda|Xavier|Yusuf|Zoe|my sister|my boss|our landlord|the neighbour|my grandfather|the new intern|my dentist|the accountant|our coach|my flatmate',
  ),
  place: words(
    'Lisbon|Nairobi|Oslo|Kyoto|Montreal|Cape Town|Seville|Hanoi|Denver|Krakow|Lima|Galway|Tbilisi|Wellington|Marseille|Chennai|the mountains|the seaside|the old town|the airport|the library|the allotment|the office|the hospital|the workshop|the swimming pool|the island|the train station|the market|the basement',
  ),
  time: words(
    'last summer|in March|two weeks ago|every Tuesday|on the first of May|next winter|yesterday|before sunrise|after the meeting|in 2019|at the weekend|during the storm|on his birthday|at noon|since childhood|once a month|over the holidays|by Friday|late at night|in the second quarter',
  ),
  thing: words(
    'a cargo bike|the blue kettle|a broken drone|the tax papers|a second-hand piano|hiking boots|the router|a sourdough starter|the wedding ring|a telescope|the spare key|an electric car|the garden shed|a passport|the winter coat|a vintage camera|the standing desk|a chess set|the smoke alarm|a violin|the insulin pump|a tent|the invoice template|the coffee machine|a hearing aid|the wood stove|a sewing machine|the fish tank|a printer|the surfboard',
  ),
  food: words(
    'mushroom risotto|spicy ramen|gluten-free bread|black coffee|peanut butter|lentil soup|goat cheese|sushi|dark chocolate|oat milk|rhubarb pie|fried plantain|kimchi|lamb stew|green tea|shellfish|mango|blue cheese|pancakes|grilled aubergine|cashews|cold brew|pickled herring|tofu',
  ),
  work: words(
    'the billing service|the quarterly report|a grant proposal|the onboarding guide|the data migration|a museum exhibit|the school play|a bridge inspection|the mobile release|the payroll audit|a novel|the vaccine trial|the marketing plan|a bakery opening|the security review|the choir concert|a court case|the warehouse move|the podcast|a thesis on bees|the budget forecast|the robot arm|a translation|the harvest',
  ),
  animal: words(
    'the old greyhound|a rescued parrot|two kittens|the tortoise|a nervous horse|the beehive|a hedgehog|the goldfish|a Labrador puppy|the barn owl|three chickens|a stray cat|the rabbit|an iguana|the sheep|a ferret',
  ),
  feeling: words(
    'thrilled about|worried about|tired of|proud of|curious about|angry about|grateful for|bored with|nervous about|in love with|sceptical of|homesick for|relieved about|jealous of',
  ),
  skill: words(
    'Portuguese|rock climbing|TypeScript|pottery|the cello|beekeeping|sign language|watercolours|carpentry|sailing|salsa|Kubernetes|calligraphy|fencing|baking bread|statistics|first aid|juggling|knitting|photography|chess openings|diving|accounting|public speaking',
  ),
  number: words('three|twelve|forty|seventeen|two hundred|nine|a dozen|six|fifty-four|eleven|a thousand|twenty-five'),
};

const PATTERNS = `
{who} moved to {place} {time}
{who} is allergic to {food}
{who} is learning {skill} {time}
{who} left {thing} at {place}
{who} is {feeling} {work}
{who} prefers {food} to {food}
the deadline for {work} is {time}
{who} adopted {animal} {time}
{who} wants to sell {thing} and buy {thing}
remind {who} to bring {thing} to {place}
{who} met {who} at {place} {time}
{who} cooked {food} for {number} guests {time}
{who} teaches {skill} at {place}
{who} is afraid of flying, so they took the train to {place}
the vet said that {animal} needs an operation {time}
{who} spent {number} hours on {work} {time}
{who} and {who} argued about {work}
there are {number} boxes with {thing} in {place}
{who} was born in {place} and grew up near {place}
never serve {food} when {who} comes for dinner
{who} asked for {number} days off {time}
{who} broke an arm while practising {skill}
the password hint for {thing} is the name of {animal}
{who} promised to repair {thing} {time}
{who} leads {work} together with {who}
{who} takes {animal} for a walk near {place} {time}
how to fix {thing}: switch it off, wait {number} minutes, try again
{who} reads about {skill} on the train to {place}
{who} inherited {thing} from an aunt in {place}
{work} was postponed because {who} fell ill {time}
the flight to {place} with {who} costs {number} euros
{who} no longer eats {food} since the trip to {place}
{who} won a prize for {skill} in {place}
{who} is {feeling} moving to {place}
if {work} fails again, call {who} and not {who}
{who} painted {animal} {time}
{who} keeps {food} in {place}
the meeting about {work} lasted {number} hours and nothing was decided
{who} is saving for {thing}
{who} dreams of {skill} in {place}
{who} lost {thing} {time} and found it in {place}
{who} will look after {animal} while {who} is in {place}
{who} signed the contract for {work} {time}
{who} has been vegetarian {time} but still likes {food}
{number} people joined the course on {skill} in {place}
{who} is {feeling} {animal}
the doctor told {who} to avoid {food} {time}
{who} writes about {work} from a café in {place}
`
  .trim()
  .split('\n');

function words(text: string): string[] {
  return text.split('|');
}

export function memorySentence(random: SeededRandom): string {
  const fill = (): string => random.pick(PATTERNS).replace(/\{(\w+)\}/g, (_, slot) => random.pick(SLOTS[slot] ?? []));
  const sentence = random.next() < 0.4 ? `${fill()}, and ${fill()}` : fill();
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}
