/** A process that campaigns for the lead of a folder, and says when it leads. */

import { once } from 'node:events';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';

const [folder = ''] = process.argv.slice(2);
const campaign = new SqliteEngine({ folder, clock: systemClock }).leadership.campaign(async (signal) => {
  process.stdout.write('leads\n');
  await once(signal, 'abort');
  process.stdout.write('follows\n');
});
// Nothing else would keep the process running, and the lock from being collected as garbage.
setInterval(() => campaign.isLeader, 1000);
