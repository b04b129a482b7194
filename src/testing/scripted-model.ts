/** A language model that says what it is told to, and keeps what it was asked. */

import type { Completion, CompletionRoom, LanguageModel } from '../ports/language-model.ts';

interface Question {
  readonly instructions: string;
  readonly text: string;
  readonly room: CompletionRoom | undefined;
}

/** What it answers: a text, or anything else as JSON. What it throws is thrown. */
export type Script = (question: Question, count: number) => unknown;

const COST = { inputTokens: 100, outputTokens: 20, price: 0.003 };

export class ScriptedModel implements LanguageModel {
  readonly asked: Question[] = [];
  /** What it says from now on. */
  script: Script;

  constructor(script: Script = () => ({})) {
    this.script = script;
  }

  async complete(instructions: string, text: string, room?: CompletionRoom): Promise<Completion> {
    const question = { instructions, text, room };
    this.asked.push(question);
    const said = await this.script(question, this.asked.length);
    return { text: typeof said === 'string' ? said : JSON.stringify(said), model: 'scripted', cost: COST };
  }

  async close(): Promise<void> {}
}
