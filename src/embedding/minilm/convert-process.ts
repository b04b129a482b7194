/** Entry of the process that converts the model: stores it and ends, and with it go the 300 MB that this takes. */

import { convertModel, type Precision } from './convert-model.ts';
import { writeCached } from './model-cache.ts';

export interface Conversion {
  readonly precision: Precision;
  readonly folder: string;
  readonly name: string;
}

const { precision, folder, name } = JSON.parse(process.argv[2] ?? '{}') as Conversion;
await writeCached(folder, name, await convertModel(precision));
