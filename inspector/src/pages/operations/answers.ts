/** The answers that the parts of this page draw. */

import type { OperationOutput } from '../../../../src/operations/table.ts';

export type Stats = OperationOutput<'stats'>;
export type Vitals = OperationOutput<'admin.metrics'>;
