/** The one table of commands, in the order in which the help lists them. */

import { add } from './add.ts';
import { audit } from './audit.ts';
import { backup, restoreBackup } from './backup.ts';
import { bench } from './bench.ts';
import { completion } from './completion.ts';
import type { Command } from './command.ts';
import { context } from './context.ts';
import { copy } from './copy.ts';
import { doctor } from './doctor.ts';
import { encryption } from './encryption.ts';
import { exportBundle } from './export.ts';
import { exportGraph } from './export-graph.ts';
import { forget } from './forget.ts';
import { history } from './history.ts';
import { importCommand } from './import.ts';
import { importGraph } from './import-graph.ts';
import { keys } from './keys.ts';
import { list } from './list.ts';
import { maintain } from './maintain.ts';
import { mcp } from './mcp.ts';
import { migrate } from './migrate.ts';
import { quarantine } from './quarantine.ts';
import { reindex } from './reindex.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { stats } from './stats.ts';
import { syncKnowledge } from './sync-knowledge.ts';
import { tenants } from './tenants.ts';

export const COMMANDS: readonly Command[] = [
  serve,
  mcp,
  add,
  search,
  list,
  show,
  history,
  forget,
  context,
  migrate,
  exportBundle,
  importCommand,
  backup,
  restoreBackup,
  copy,
  reindex,
  maintain,
  quarantine,
  keys,
  tenants,
  encryption,
  audit,
  stats,
  doctor,
  syncKnowledge,
  importGraph,
  exportGraph,
  bench,
  completion,
];
