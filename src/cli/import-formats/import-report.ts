/** What an import from others tells at its end: what came, what was left out, and what was wrong. */

import { answer } from '../terminal/answer.ts';
import { counted } from '../terminal/counted.ts';
import type { Given } from '../command.ts';
import { commandLines } from '../command-lines.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { flagsAgain } from '../flags-again.ts';
import { quarantineText } from '../quarantine-text.ts';
import { shellLine } from '../terminal/shell-line.ts';
import { fitted, oneLine } from '../terminal/shown-text.ts';
import { viewOf } from '../terminal/view.ts';
import { tagOf, type AddInput } from './draft-inputs.ts';
import type { ImportFormat } from './import-format.ts';
import type { ImportTally } from './import-tally.ts';
import type { WriteCounts } from './write-drafts.ts';

interface Imported {
  readonly format: ImportFormat;
  readonly path: string;
  readonly tally: ImportTally;
  /** Undefined where nothing was written. */
  readonly counts: WriteCounts | undefined;
}

/** Without importing anything once more. */
const ALL_OF_THEM = 'the same import with --check --json lists all of them as "undo"';

/** More users are counted only. */
const MAX_USERS = 5;

/** Resolves with the exit code: of a failure where anything could not be read. */
export function tellImport(given: Given, imported: Imported): number {
  const { format, path, tally, counts } = imported;
  const { total, left, problemCount, problems } = tally;
  const value = {
    format: format.name,
    path,
    dryRun: counts === undefined,
    total,
    counts: tally.counts,
    users: Object.fromEntries(tally.users),
    ...(counts ?? { first: tally.first }),
    leftOut: left,
    problemCount,
    problems,
    tag: tagOf(format.name),
    undo: undoCommands(given, imported).map(shellLine),
  };
  const lines = [...doneLines(given, imported), ...leftLines(tally), ...(counts ? [] : firstLines(given, tally.first))];
  const code = answer(given, value, () => lines.join('\n'));
  if (problemCount === 0) return code;
  given.terminal.stderr.write(`${problemLines(tally).join('\n')}\n`);
  return EXIT_CODES.failed.code;
}

/** One for each place, with what is held there. */
function undoCommands(given: Given, { format, tally }: Imported): string[][] {
  const forget = ['lamina', 'forget', '--tag', tagOf(format.name), '--quarantined'];
  return tally.spots.map((spot) => [...forget, ...flagsAgain(given, spot)]);
}

function doneLines(given: Given, imported: Imported): string[] {
  const { format, tally, counts } = imported;
  const { total, users } = tally;
  const kinds = Object.entries(tally.counts).map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`);
  const named = [...users].slice(0, MAX_USERS).map(([user, count]) => `${oneLine(user)} (${count})`);
  const whose = users.size > MAX_USERS ? `${named.join(', ')} and ${users.size - MAX_USERS} more` : named.join(', ');
  const did = counts
    ? `Imported from ${format.title}: ${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged.`
    : `${format.title}: ${counted(total, 'memory', 'memories')} would be written.`;
  return [
    did,
    ...kinds,
    ...(counts && counts.quarantined > 0 ? [quarantineText(given, tally.reviews, counts.quarantined)] : []),
    ...(total > 0 ? [`For ${users.size === 1 ? 'the user' : 'the users'} ${whose}.`] : []),
    ...(counts && total > 0 ? commandLines('To forget them again:', undoCommands(given, imported), ALL_OF_THEM) : []),
  ];
}

function leftLines({ left }: ImportTally): string[] {
  const told = Object.entries(left).map(([what, count]) => `  ${String(count).padStart(7)}  ${what}`);
  return told.length === 0 ? [] : ['Not carried over:', ...told];
}

function firstLines(given: Given, first: readonly AddInput[]): string[] {
  const { width } = viewOf(given);
  const shown = first.flatMap(({ externalId = '', content, layer, kind = 'semantic', role, validFrom }) => [
    `  ${[layer, kind, role, validFrom].filter((word) => word !== undefined).join('  ')}  ${fitted(oneLine(externalId), width)}`,
    `    ${fitted(oneLine(content), width - 4)}`,
  ]);
  return shown.length === 0 ? [] : ['The first of them:', ...shown];
}

function problemLines({ problems, problemCount }: ImportTally): string[] {
  const more = problemCount > problems.length ? [`… and ${problemCount - problems.length} more.`] : [];
  return [...problems.map(({ where, what }) => `${where}: ${what}.`), ...more];
}
