/**
 * A process that adds observations to an entity, one call after the other. Started by graph-races.long.test.ts with the data
 * folder, the entity, a name for itself and how many to add.
 */

import { once } from 'node:events';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { createEntities, addObservations } from '../src/tools/graph-changes.ts';
import { graphPlace } from '../src/tools/graph-place.ts';

const [folder = '', entityName = '', name = '', amount = '0'] = process.argv.slice(2);

const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
const place = graphPlace({ memory: lamina.as({ userId: 'writer' }) });

// Ready: whoever started several of us lets us begin together.
process.stdout.write('ready\n');
await once(process.stdin, 'data');

const created = await createEntities(place, [{ name: entityName, entityType: name, observations: [] }]);
for (let number = 1; number <= Number(amount); number += 1) {
  await addObservations(place, [{ entityName, contents: [`${name} ${number}`] }]);
}
process.stdout.write(`created ${created.length}\n`);
await lamina.close();
process.exit(0);
