/** Takes back what a maintenance run did. */

import type { MaintenanceRun, UndoRunOutput } from '../../../../src/domain/maintenance.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';

export async function undoRun({ runId }: Pick<MaintenanceRun, 'runId'>): Promise<UndoRunOutput> {
  const undone = await ask((memory) => memory.maintenance.undo({ runId }));
  changed();
  return undone;
}
