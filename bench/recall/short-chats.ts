/**
 * Short chats of people with an assistant, as they are remembered in the first days: few turns, most of them small, and questions of
 * which some have no answer. Long conversations tell little about these: there, words of a question are rare among hundreds of turns.
 */

/** What the user says and what the assistant answers. The id names what the user said. */
type Exchange = readonly [id: string, said: string, answered: string];

/** `answers` are the turns that say it; of a correction only the one that holds. None where it was never said. */
export interface ChatQuestion {
  readonly asked: string;
  readonly answers: readonly string[];
  /** The turn that was taken back. */
  readonly former?: string;
}

export interface ShortChat {
  readonly user: string;
  readonly exchanges: readonly Exchange[];
  readonly questions: readonly ChatQuestion[];
}

/** So many exchanges are one session. */
export const EXCHANGES_PER_SESSION = 4;

const is = (asked: string, ...answers: readonly string[]): ChatQuestion => ({ asked, answers });
const isNow = (asked: string, answer: string, former: string): ChatQuestion => ({ asked, answers: [answer], former });

export const SHORT_CHATS: readonly ShortChat[] = [
  {
    user: 'u-101',
    exchanges: [
      ['k1', 'hi, kenji here', 'Hello Kenji, how can I help?'],
      ['k2', 'we are getting married on 6 june, in sintra', 'Congratulations to both of you!'],
      ['k3', 'the venue holds 80 people max', 'Good to know.'],
      ['k4', 'ibuprofen gives me a rash, so never suggest it', 'Understood.'],
      ['k5', 'my fiancée is Amália, she teaches the cello', 'Lovely.'],
      ['k6', 'invoice for the flowers is 640 euros, due on the 20th', 'Noted.'],
      ['k7', 'any idea for a short speech?', 'Tell how you met, in two minutes.'],
      ['k8', 'our parrot Rui will stay with the neighbours meanwhile', 'Sounds good.'],
      ['k9', 'i am an engineer for lifts, mostly old ones', 'Interesting work.'],
      ['k10', 'change of plan: the wedding is on 13 june now, the venue was double booked', 'Moved to 13 June.'],
      ['k11', 'uncle Teo does not drink alcohol, put him far from the bar', 'Will do.'],
      ['k12', 'thanks, talk later', 'Until then.'],
    ],
    questions: [
      isNow('When is the wedding?', 'k10', 'k2'),
      is('What am I called?', 'k1'),
      is('Which painkiller should I not take?', 'k4'),
      is('How many guests fit in?', 'k3'),
      is('What instrument does Amália play?', 'k5'),
      is('Who looks after the bird while we are away?', 'k8'),
      is('What do I do for a living?', 'k9'),
      is('How much do the flowers cost?', 'k6'),
      is('Should I pour Teo some wine?', 'k11'),
      is('What is my insurance number?'),
      is('Which hotel have we booked for the honeymoon?'),
      is('What is the name of my dog?'),
      is('When does my passport expire?'),
      is('How tall is Amália?'),
      is('What did the ring cost?'),
      is('Do I play tennis?'),
    ],
  },
  {
    user: 'u-102',
    exchanges: [
      [
        'o1',
        "Hello! I'm Folake and I just started a doctorate on soil fungi in Utrecht.",
        'Nice to meet you, Folake. Soil fungi are a fascinating subject. What would you like to work on today?',
      ],
      [
        'o2',
        'I have type 1 diabetes, so snacks matter when I plan long days in the field.',
        'Thank you for telling me. I will keep your diabetes in mind when we plan long days.',
      ],
      [
        'o3',
        'My supervisor is Professor Brandsma. She only reads mails before noon.',
        'Got it: mails to Professor Brandsma should go out in the morning.',
      ],
      [
        'o4',
        'I rent a room on the Biltstraat for 710 a month, bikes included.',
        'That is a fair price for the area, and two wheels are all you need there.',
      ],
      [
        'o5',
        'The freezer in the lab is number 14, the samples are in the lower drawer.',
        'Freezer 14, lower drawer. I will remember it.',
      ],
      ['o6', 'My brother Tunde visits in the second week of October.', 'How nice. Would you like ideas for trips?'],
      [
        'o7',
        'Yes, but nothing with heights, he gets dizzy even on a bridge.',
        'Then a boat on the canals may be better.',
      ],
      [
        'o8',
        'I have moved out of the Biltstraat, I live in Zeist now, with two other students.',
        'Congratulations on the new place. I have taken note of Zeist.',
      ],
      ['o9', 'My bus is line 50, it takes 35 minutes.', 'Enough time for a paper on the way.'],
      [
        'o10',
        'The conference in Lund wants the abstract by 28 February.',
        'I can help you with the abstract. Shall we begin in January?',
      ],
      ['o11', 'Good. I write in British English, please correct me when I do not.', 'With pleasure.'],
      ['o12', 'I quit coffee in spring, only tea now.', 'Tea it is.'],
    ],
    questions: [
      isNow('Where do I live at the moment?', 'o8', 'o4'),
      is("What's my name?", 'o1'),
      is('Do I have any illness that you know of?', 'o2'),
      is('At what time of day should I write to my professor?', 'o3'),
      is('Where are my samples stored?', 'o5'),
      is('When is my brother coming?', 'o6'),
      is('Would Tunde enjoy climbing a tower?', 'o7'),
      is('How do I get to work?', 'o9'),
      is('What is the deadline for Lund?', 'o10'),
      is('Which spelling should you use for my texts?', 'o11'),
      is('May I offer you an espresso?', 'o12'),
      is('What is the number of my bank account?'),
      is('How old is my brother?'),
      is('Which football team do I support?'),
      is('Where did I spend last summer?'),
      is('What is the code of the front door?'),
      is('Who is my dentist?'),
      is('When does the swimming pool open?'),
    ],
  },
  {
    user: 'u-103',
    exchanges: [
      ['b1', 'Im Bea, freelance translator, 2 kids: Nils (9) and Ida (5)', 'Hello Bea!'],
      ['b2', 'nils has a cast on his left arm until the 18th', 'Poor Nils.'],
      ['b3', 'ida cant have anything with egg', 'I will remember.'],
      ['b4', 'my rate is 0.14 per word', 'OK.'],
      ['b5', 'the school is closed on the 1st monday of nov', 'Noted.'],
      ['b6', 'i ride a motorbike, a yellow ducati from 1996', 'A classic!'],
      ['b7', 'whats a good word for gemütlich', 'Perhaps snug, or homely.'],
      ['b8', 'tax advisor: Frau Özdemir, 0221 5550147', 'Saved.'],
      ['b9', 'from january my rate is 0.16 per word', 'Noted, 0.16.'],
      ['b10', 'the spare helmet is in the cellar behind the skis', 'OK.'],
      ['b11', 'i get seasick, ferries are out', 'Got it.'],
      ['b12', 'my mother turns 70 on 9 february, i need an idea', 'A weekend away, perhaps.'],
      ['b13', 'ok cool', ':)'],
    ],
    questions: [
      isNow('What do I charge per word?', 'b9', 'b4'),
      is('How old is Ida?', 'b1'),
      is('Can I bake pancakes for Ida?', 'b3'),
      is('Which arm did Nils break?', 'b2'),
      is('What vehicle do I drive?', 'b6'),
      is('How do I reach my tax advisor?', 'b8'),
      is('Where is the second helmet?', 'b10'),
      is('Should we cross to Sweden by ship?', 'b11'),
      is("When is my mum's birthday?", 'b12'),
      is('What is my job?', 'b1'),
      is('When do the kids have no school?', 'b5'),
      is('What is my phone number?'),
      is("What is my husband's name?"),
      is('How many languages does Nils speak?'),
      is('Which day is the piano lesson?'),
      is('Am I vegetarian?'),
      is('What is the wifi password?'),
      is('Where did I buy the sofa?'),
    ],
  },
  {
    user: 'u-104',
    exchanges: [
      [
        's1',
        'We have bought an old farmhouse near Kilkenny and I need help to keep track of everything.',
        'What an adventure! Tell me what you know, and I will keep it together for you.',
      ],
      ['s2', 'The roof is the first thing. Murphy & Sons offered 18,400 for slate.', 'Noted: slate roof, 18,400.'],
      ['s3', 'The well water has too much iron, we only use it for the garden.', 'Then bottled water for the kettle.'],
      ['s4', 'I wear a hearing aid, so calls are hard for me. Text is better.', 'I will suggest messages over calls.'],
      ['s5', 'Our collie is called Biscuit and she hates the drill.', 'Poor Biscuit!'],
      ['s6', 'The electrician comes on Thursday at half past eight.', 'Thursday, 8:30.'],
      ['s7', 'Do not let me order walnut floors again, Dervla is for oak.', 'Oak, then.'],
      ['s8', 'The electrician has cancelled, it will be Monday at ten.', 'Changed to Monday at ten.'],
      ['s9', 'The key safe is by the back gate, 7 3 9 1.', 'I will keep that to myself.'],
      ['s10', 'We heat with wood pellets, two tonnes a winter.', 'A good choice for an old house.'],
      ['s11', 'The bedroom will be painted sage green.', 'Calm and pleasant.'],
      ['s12', 'I am Declan by the way, we never got to that.', 'Pleased to meet you, Declan!'],
    ],
    questions: [
      isNow('When does the electrician come?', 's8', 's6'),
      is('Who am I?', 's12'),
      is('Can I drink from the tap?', 's3'),
      is('What did the roofer want?', 's2'),
      is('Would it be better to phone me?', 's4'),
      is('What is our dog called?', 's5'),
      is('Which wood for the floor?', 's7'),
      is('How do I get into the house without a key?', 's9'),
      is('What fuel keeps us warm?', 's10'),
      is('What colour will we sleep in?', 's11'),
      is('Where is the farm?', 's1'),
      is('What is the number plate of the van?'),
      is('When is my appointment at the optician?'),
      is('How many children do we have?'),
      is('What did the bathroom tiles cost?'),
      is('Which bank gave us the mortgage?'),
      is('What is my favourite film?'),
      is('What is the cat called?'),
    ],
  },
];
