/** A chat model of LangChain that says what it was told to, in order, and remembers what it was asked. */

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

export class ScriptedChatModel extends BaseChatModel {
  readonly #answers: AIMessage[];
  readonly asked: string[] = [];

  constructor(answers: readonly AIMessage[]) {
    super({});
    this.#answers = [...answers];
  }

  override _llmType(): string {
    return 'scripted';
  }

  /** It needs no tools to be told of: the script knows them. */
  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.asked.push(messages.map(({ text }) => text).join('\n'));
    const message = this.#answers.shift();
    if (!message) throw new Error('The script has come to its end.');
    return { generations: [{ text: message.text, message }] };
  }
}
