/**
 * Looks for what must not happen in a recorded history of compare-and-set registers: lost updates, versions given twice,
 * stale reads of one's own writes, reads that go back in time, and whatever else no order of the calls could explain.
 */

/** A call that was answered. Times are of one clock; a client has one call under way at a time. */
export interface Call {
  readonly client: string;
  readonly key: string;
  readonly started: number;
  readonly ended: number;
  /** Absent for a read. */
  readonly expected?: number;
  /** Of a read what it found (0: nothing), of a write what it made; absent where the write met another version. */
  readonly version?: number;
}

/** Empty where all is well. */
export function problemsOf(history: readonly Call[]): string[] {
  const byKey = Map.groupBy(history, ({ key }) => key);
  return [...byKey].flatMap(([key, calls]) =>
    [
      ...lostUpdates(calls),
      ...repeatedVersions(calls),
      ...byClient(calls).flatMap(staleReads),
      ...(isLinearizable(calls) ? [] : ['no order of the calls explains the answers']),
    ].map((problem) => `${key}: ${problem}`),
  );
}

function byClient(calls: readonly Call[]): Call[][] {
  const each = [...Map.groupBy(calls, ({ client }) => client).values()];
  return each.map((own) => own.toSorted((one, other) => one.started - other.started));
}

const isWrite = ({ expected, version }: Call): boolean => expected !== undefined && version !== undefined;

/** Two who were both told that they had changed the same version: the second has not seen the first. */
function lostUpdates(calls: readonly Call[]): string[] {
  const winners = Map.groupBy(calls.filter(isWrite), ({ expected }) => expected);
  return [...winners]
    .filter(([, won]) => won.length > 1)
    .map(([expected, won]) => `lost update: ${won.length} changed version ${expected}`);
}

function repeatedVersions(calls: readonly Call[]): string[] {
  const made = Map.groupBy(calls.filter(isWrite), ({ version }) => version);
  return [...made].filter(([, same]) => same.length > 1).map(([version]) => `version ${version} was given twice`);
}

/** What a client has once written or read it must not fall behind. */
function staleReads(own: readonly Call[]): string[] {
  const problems: string[] = [];
  let [known, isOwn] = [0, false];
  for (const call of own) {
    const { client, version } = call;
    if (version === undefined) continue;
    if (version < known) {
      problems.push(
        `${client} ${isOwn ? 'did not see its own write' : 'went back in time'}: ${version} after ${known}`,
      );
    } else [known, isOwn] = [version, isWrite(call)];
  }
  return problems;
}

/**
 * By the search of Wing and Gong: whichever call could have been first is tried as such, given that one which had ended
 * before another began comes before it. What was tried once (how far each client is, and what stands there) is not tried again.
 */
export function isLinearizable(calls: readonly Call[]): boolean {
  const clients = byClient(calls);
  const begun: Place = { done: clients.map(() => 0), version: 0 };
  const open = [begun];
  const tried = new Set<string>();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const name = `${place.done.join()}:${place.version}`;
    if (tried.has(name)) continue;
    tried.add(name);
    const { done, version } = place;
    const next = clients.map((own, client) => own[done[client] ?? 0]);
    if (next.every((call) => call === undefined)) return true;
    const deadline = Math.min(...next.map((call) => call?.ended ?? Number.POSITIVE_INFINITY));
    for (const [client, call] of next.entries()) {
      if (call === undefined || call.started > deadline) continue;
      const after = answered(call, version);
      if (after !== undefined) open.push({ done: done.with(client, (done[client] ?? 0) + 1), version: after });
    }
  }
  return false;
}

/** How many calls of each client have had their turn, and the version that stands there then. */
interface Place {
  readonly done: readonly number[];
  readonly version: number;
}

/** The version that stands there after the call, where it would have answered as it did. */
function answered({ expected, version }: Call, before: number): number | undefined {
  if (expected === undefined) return version === before ? before : undefined;
  if (version === undefined) return expected === before ? undefined : before;
  return expected === before ? version : undefined;
}
