/** Language models by how they are configured. */

import { OpenAiLanguageModel, type LanguageModelOptions } from '../language/openai-language-model.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { LanguageModelSettings } from './lifecycle-settings.ts';
import { systemClock } from './system.ts';

export type OpenAiLanguageModelOptions = Omit<LanguageModelOptions, 'clock'>;

/** Any OpenAI-compatible chat endpoint. Throws `CONFIGURATION_ERROR` for one that can never work. */
export function openAiLanguageModel(options: OpenAiLanguageModelOptions): LanguageModel {
  return new OpenAiLanguageModel({ clock: systemClock, ...options });
}

export function languageModelOf(settings: LanguageModelSettings | undefined): LanguageModel | undefined {
  if (settings === undefined) return undefined;
  const { url: baseUrl, name: model, apiKey, prices } = settings;
  return openAiLanguageModel({ baseUrl, model, apiKey, prices });
}
