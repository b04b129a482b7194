/** The settings of the life of memories: decay, consolidation, the clean-up of sessions, how long events and logs are kept, and the language model. */

import { z } from 'zod';
import {
  DEFAULT_LIFECYCLE_POLICY,
  LIFECYCLE_SCHEMAS,
  PERIODS,
  PERIODS_OR_FOREVER,
  SAME_BY,
  type LifecyclePolicy,
} from '../domain/lifecycle-policy.ts';
import { LAYERS, type Layer } from '../domain/scope.ts';
import { apiKeySetting, decimalFromText, numberFromText, setting, type Setting } from './setting.ts';

const { decay, consolidation, sessionCleanup, deduplication, events, contextLog } = DEFAULT_LIFECYCLE_POLICY;

const SWITCH = ['on', 'off'] as const;
const LAYER_LIST = `none, or layers with commas in between, of ${LAYERS.join(', ')}`;
const MAX_PRICE = 1_000_000;

function isOnOff(
  variable: Setting['variable'],
  isOn: boolean,
  description: string,
): Setting<z.ZodDefault<z.ZodEnum<{ on: 'on'; off: 'off' }>>> {
  return setting({ variable, schema: z.enum(SWITCH).default(isOn ? 'on' : 'off'), accepts: 'on or off', description });
}

function share(variable: Setting['variable'], value: number, description: string): Setting<z.ZodDefault<z.ZodNumber>> {
  return setting({
    variable,
    schema: z.number().min(0).max(1).default(value),
    accepts: 'a number from 0 to 1',
    description,
    fromText: decimalFromText,
  });
}

function layers(
  variable: Setting['variable'],
  value: readonly Layer[],
  description: string,
): Setting<z.ZodDefault<z.ZodString>> {
  return setting({
    variable,
    schema: z
      .string()
      .refine((text) => layersOf(text) !== undefined, { message: `it accepts ${LAYER_LIST}` })
      .default(value.length === 0 ? 'none' : value.join(',')),
    accepts: LAYER_LIST,
    description,
  });
}

/** Undefined for what names no layers. */
function layersOf(text: string): Layer[] | undefined {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => LAYERS.find((layer) => layer === name.trim()));
  return names.every((name) => name !== undefined) ? names : undefined;
}

function price(variable: Setting['variable'], what: string): Setting<z.ZodOptional<z.ZodNumber>> {
  return setting({
    variable,
    schema: z.number().min(0).max(MAX_PRICE).optional(),
    accepts: `a number from 0 to ${MAX_PRICE}`,
    description: `What a million ${what} tokens cost, so that a summary can tell its price.`,
    fromText: decimalFromText,
  });
}

export const LIFECYCLE_SETTINGS = {
  'decay.enabled': isOnOff('LAMINA_DECAY_ENABLED', decay.enabled, 'Whether memories that nobody uses lose relevance.'),
  'decay.ratePerDay': share('LAMINA_DECAY_RATE_PER_DAY', decay.ratePerDay, 'How much of their relevance, in a day.'),
  'decay.archiveThreshold': share(
    'LAMINA_DECAY_ARCHIVE_THRESHOLD',
    decay.archiveThreshold,
    'What is less relevant than this is archived every night.',
  ),
  'decay.exemptLayers': layers('LAMINA_DECAY_EXEMPT_LAYERS', decay.exemptLayers, 'Layers in which nothing decays.'),
  'consolidation.enabled': isOnOff(
    'LAMINA_CONSOLIDATION_ENABLED',
    consolidation.enabled,
    'Whether similar memories are merged where there are too many, and episodes that matter become knowledge.',
  ),
  'consolidation.similarityThreshold': share(
    'LAMINA_CONSOLIDATION_SIMILARITY_THRESHOLD',
    consolidation.similarityThreshold,
    'Cosine similarity from which memories are merged.',
  ),
  'consolidation.maxMemoriesBeforeTrigger': setting({
    variable: 'LAMINA_CONSOLIDATION_MAX_MEMORIES',
    schema: LIFECYCLE_SCHEMAS.consolidation.shape.maxMemoriesBeforeTrigger.default(
      consolidation.maxMemoriesBeforeTrigger,
    ),
    accepts: 'a whole number from 1 to 10000000',
    description: 'Only in places (a scope, and whose memories) that hold more than so many memories are any merged.',
    fromText: numberFromText,
  }),
  'consolidation.targetLayers': layers(
    'LAMINA_CONSOLIDATION_TARGET_LAYERS',
    consolidation.targetLayers,
    'Layers in which this is done.',
  ),
  'sessionCleanup.autoDelete': isOnOff(
    'LAMINA_SESSION_AUTO_DELETE',
    sessionCleanup.autoDelete,
    'Whether memories of the session layer are deleted some time after the session has ended.',
  ),
  'sessionCleanup.retentionPeriod': setting({
    variable: 'LAMINA_SESSION_RETENTION_PERIOD',
    schema: LIFECYCLE_SCHEMAS.sessionCleanup.shape.retentionPeriod.default(sessionCleanup.retentionPeriod),
    accepts: PERIODS,
    description: 'How long they are kept after its end.',
  }),
  'sessionCleanup.promoteImportant': isOnOff(
    'LAMINA_SESSION_PROMOTE_IMPORTANT',
    sessionCleanup.promoteImportant,
    'Whether important memories of the session layer become memories of the user when the session ends.',
  ),
  'sessionCleanup.promotionThreshold': share(
    'LAMINA_SESSION_PROMOTION_THRESHOLD',
    sessionCleanup.promotionThreshold,
    'Importance × confidence from which a memory is important.',
  ),
  'deduplication.by': setting({
    variable: 'LAMINA_DEDUPLICATION',
    schema: LIFECYCLE_SCHEMAS.deduplication.shape.by.default(deduplication.by),
    accepts: SAME_BY.join(' or '),
    description:
      'By what memories that look alike to the embedding model say the same, so that one of them is enough: by their ' +
      'words, or by meaning alone, which hardly tells "is" from "is not".',
  }),
  'events.retentionPeriod': setting({
    variable: 'LAMINA_EVENT_RETENTION_PERIOD',
    schema: LIFECYCLE_SCHEMAS.events.shape.retentionPeriod.default(events.retentionPeriod),
    accepts: PERIODS_OR_FOREVER,
    description: 'How long it is kept what happened to memories (events): whoever was away for longer reads all anew.',
  }),
  'contextLog.retentionPeriod': setting({
    variable: 'LAMINA_CONTEXT_LOG_RETENTION_PERIOD',
    schema: LIFECYCLE_SCHEMAS.contextLog.shape.retentionPeriod.default(contextLog.retentionPeriod),
    accepts: PERIODS_OR_FOREVER,
    description: 'How long it is kept who read and wrote contexts.',
  }),
  'languageModel.url': setting({
    variable: 'LAMINA_LANGUAGE_MODEL_URL',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    accepts: 'an http:// or https:// address',
    description:
      'An OpenAI-compatible chat endpoint up to and including /v1, which writes summaries of memories that are merged ' +
      'and extracts knowledge from conversations. Default: none, and texts are kept as they are.',
  }),
  'languageModel.name': setting({
    variable: 'LAMINA_LANGUAGE_MODEL',
    schema: z.string().min(1).max(200).optional(),
    accepts: 'the name of a model of that endpoint',
    description: 'The language model.',
  }),
  'languageModel.apiKey': apiKeySetting('LAMINA_LANGUAGE_MODEL_API_KEY', 'The key for that endpoint.'),
  'languageModel.inputPrice': price('LAMINA_LANGUAGE_MODEL_INPUT_PRICE', 'input'),
  'languageModel.outputPrice': price('LAMINA_LANGUAGE_MODEL_OUTPUT_PRICE', 'output'),
} as const;

export type LifecycleSettingKey = keyof typeof LIFECYCLE_SETTINGS;

type Values = { readonly [Key in LifecycleSettingKey]: z.output<(typeof LIFECYCLE_SETTINGS)[Key]['schema']> };

/** Which language model, and what it costs. */
export interface LanguageModelSettings {
  readonly url: string;
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly prices: { readonly input: number; readonly output: number } | undefined;
}

export interface LifecycleConfiguration {
  readonly lifecycle: LifecyclePolicy;
  readonly languageModel: LanguageModelSettings | undefined;
}

/** Of values that were checked. */
export function lifecycleConfiguration(values: Values): LifecycleConfiguration {
  return {
    lifecycle: {
      decay: {
        enabled: values['decay.enabled'] === 'on',
        ratePerDay: values['decay.ratePerDay'],
        archiveThreshold: values['decay.archiveThreshold'],
        exemptLayers: layersOf(values['decay.exemptLayers']) ?? [],
      },
      consolidation: {
        enabled: values['consolidation.enabled'] === 'on',
        similarityThreshold: values['consolidation.similarityThreshold'],
        maxMemoriesBeforeTrigger: values['consolidation.maxMemoriesBeforeTrigger'],
        targetLayers: layersOf(values['consolidation.targetLayers']) ?? [],
      },
      sessionCleanup: {
        autoDelete: values['sessionCleanup.autoDelete'] === 'on',
        retentionPeriod: values['sessionCleanup.retentionPeriod'],
        promoteImportant: values['sessionCleanup.promoteImportant'] === 'on',
        promotionThreshold: values['sessionCleanup.promotionThreshold'],
      },
      deduplication: { by: values['deduplication.by'] },
      events: { retentionPeriod: values['events.retentionPeriod'] },
      contextLog: { retentionPeriod: values['contextLog.retentionPeriod'] },
    },
    languageModel: languageModelSettings(values),
  };
}

function languageModelSettings(values: Values): LanguageModelSettings | undefined {
  const url = values['languageModel.url'];
  const name = values['languageModel.name'];
  if (url === undefined || name === undefined) return undefined;
  const input = values['languageModel.inputPrice'];
  const output = values['languageModel.outputPrice'];
  const prices = input === undefined || output === undefined ? undefined : { input, output };
  return { url, name, apiKey: values['languageModel.apiKey'], prices };
}

/** What does not go together: an endpoint needs a model, and neither a model, a key nor a price is anything without it. */
export function checkLanguageModel(
  values: Values,
  isBroken: (key: LifecycleSettingKey) => boolean,
  refuse: (key: LifecycleSettingKey, problem: string) => void,
): void {
  if (isBroken('languageModel.url') || isBroken('languageModel.name')) return;
  if (values['languageModel.url'] !== undefined && values['languageModel.name'] === undefined) {
    refuse('languageModel.name', 'is not set; LAMINA_LANGUAGE_MODEL_URL needs it');
  }
  if (values['languageModel.url'] === undefined) {
    const others = ['name', 'apiKey', 'inputPrice', 'outputPrice'] as const;
    const unused = others.filter((name) => values[`languageModel.${name}`] !== undefined);
    for (const name of unused) refuse(`languageModel.${name}`, 'is set, but LAMINA_LANGUAGE_MODEL_URL is not');
  }
  const [input, output] = [values['languageModel.inputPrice'], values['languageModel.outputPrice']];
  if ((input === undefined) !== (output === undefined)) {
    const missing = input === undefined ? 'inputPrice' : 'outputPrice';
    refuse(`languageModel.${missing}`, 'is not set, though the other price is');
  }
}
