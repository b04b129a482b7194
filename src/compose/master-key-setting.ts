/** The setting of encryption at rest. */

import { z } from 'zod';
import { setting, type Setting } from './setting.ts';

export const MASTER_KEY_FILE: Setting<z.ZodOptional<z.ZodString>> = setting({
  variable: 'LAMINA_MASTER_KEY_FILE',
  schema: z
    .string()
    .min(1)
    .regex(/^[^\n]+$/)
    .optional(),
  accepts: 'the path of a file made by lamina encryption create-key, or of a folder with such a file for each tenant',
  place: 'FILE',
  description:
    'The key that wraps the keys of tenants, by which what they remember is sealed. Default: none, and it is stored as it ' +
    'is. Whoever loses it loses everything: see the page about encryption.',
});
