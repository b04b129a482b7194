/** Statements are prepared once; of very many different ones those that are used stay prepared, and all answer what they should. */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

it('of more statements than are kept each answers, time after time', async () => {
  const folder = await makeFolder();
  const connection = new SqliteConnection(join(folder, 'statements.db'), { readonly: false });
  onTestFinished(async () => {
    connection.close();
    await removeFolder(folder);
  });
  const prepare = connection.db.prepare.bind(connection.db);
  const prepared: string[] = [];
  connection.db.prepare = (sql: string) => {
    prepared.push(sql);
    return prepare(sql);
  };
  const often = 'SELECT ? AS answer';
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 1000; index += 1) {
      expect(connection.first(`SELECT ${index} + ? AS answer`, 1)).toEqual({ answer: index + 1 });
      expect(connection.first(often, index)).toEqual({ answer: index });
    }
  }
  expect(prepared.filter((sql) => sql === often)).toHaveLength(1);
  expect(prepared).toHaveLength(2001);
});
