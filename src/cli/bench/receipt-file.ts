/** Receipts in a file: a JSON list of what `receipts.get` answers, in the library or over HTTP. */

import { readFile } from 'node:fs/promises';
import { LaminaError } from '../../domain/error.ts';
import { recallReceiptSchema, type RecallReceipt } from '../../domain/recall-receipt.ts';
import { validate } from '../../operations/validate.ts';
import { wireOf } from '../../operations/wire.ts';

/** Throws `NOT_FOUND` where there is no such file, and `VALIDATION_FAILED` where it holds something else. */
export async function readReceipts(file: string): Promise<RecallReceipt[]> {
  const json = jsonOf(file, await textOf(file));
  if (!Array.isArray(json)) throw wrong(file, 'it has to be a JSON list of receipts');
  return json.map((item: unknown, index) => {
    try {
      return validate(recallReceiptSchema, wireOf('receipts.get').output.decode(item));
    } catch (error) {
      throw wrong(file, `number ${index + 1} is none: ${(error as Error).message}`);
    }
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
  }
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LaminaError('VALIDATION_FAILED', `"${file}" is not JSON.`, { cause });
  }
}

function wrong(file: string, problem: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', `"${file}" is no file of receipts: ${problem}`);
}
