/** How far the indexes are from what is remembered, tenant by tenant. */

import type { Checkup, Drift } from '../../ports/checkup.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import { modelName } from '../../core/spaces/same-space.ts';
import { fillForModel } from '../../core/spaces/model-change.ts';
import type { Configuration } from '../configuration.ts';
import { LOCAL_MODEL } from '../settings.ts';
import { ok, problem, warning, type Finding, type Repair } from './check.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

export async function driftFindings(checkup: Checkup, world: World): Promise<Finding[]> {
  // A schema of another time has other tables, and that is told elsewhere.
  if ((await checkup.schema()).some(({ where }) => where === undefined)) return [];
  const tenants = await checkup.tenants();
  if (tenants.length === 0) return [];
  const space = await world.space();
  const model = (await checkup.spaces())?.active.settings.model ?? world.configuration.embeddingModel ?? LOCAL_MODEL;
  const findings: Finding[] = [];
  let entries = 0;
  for (const tenantId of tenants) {
    world.signal.throwIfAborted();
    try {
      const drift = await checkup.drift(tenantId, space);
      entries += drift.entries;
      findings.push(...findingsOf(tenantId, drift, { space, model, world }));
    } catch (error) {
      findings.push(
        problem(`Tenant ${tenantId} cannot be counted. ${reasonOf(error)}`, 'Look at the finding "integrity" first.'),
      );
    }
  }
  if (findings.length > 0) return findings;
  return [
    ok(
      `Every memory has words and a vector of ${modelName({ space })}: ${entries.toLocaleString('en')} in ${tenants.length} ${tenants.length === 1 ? 'tenant' : 'tenants'}.`,
    ),
  ];
}

interface Indexed {
  readonly space: EmbeddingSpace;
  /** Its name on the command line. */
  readonly model: string;
  readonly world: World;
}

function findingsOf(tenantId: string, drift: Drift, { space, model, world }: Indexed): Finding[] {
  const { entries, withoutVector, withoutWords, strayVectors, strayWords } = drift;
  const findings: Finding[] = [];
  if (withoutVector > 0) {
    const told = `${withoutVector} of ${entries} memories of tenant ${tenantId} have no vector of ${modelName({ space })}`;
    findings.push(
      problem(
        `${told}: searches do not find them by meaning.`,
        `lamina reindex --model ${model}${world.databaseFlag}`,
        fillIn(world),
      ),
    );
  }
  if (withoutWords > 0) {
    const told = `${withoutWords} of ${entries} memories of tenant ${tenantId} are not in the index of words.`;
    findings.push(problem(told, `Write it anew: ${renewal(tenantId, world)}`));
  }
  if (strayVectors + strayWords > 0) {
    const told = `The indexes of tenant ${tenantId} hold ${strayVectors} vectors and words of ${strayWords} memories that are not there.`;
    findings.push(warning(told, `They cost room and are never found. To be rid of them: ${renewal(tenantId, world)}`));
  }
  return findings;
}

/** An import writes every index. */
function renewal(tenantId: string, { databaseFlag }: World): string {
  return `lamina export tenant.jsonl --tenant ${tenantId}${databaseFlag}, then lamina import tenant.jsonl into a new database`;
}

function fillIn({ configuration, signal }: World): Repair {
  return {
    does: 'Embed the memories that have no vector',
    run: async () => {
      const filled = await fillMissing(configuration, signal);
      return `${filled === 1 ? '1 memory was' : `${filled} memories were`} given a vector.`;
    },
  };
}

/** Of all tenants, in the space that is in use. */
async function fillMissing(configuration: Configuration, signal: AbortSignal): Promise<number> {
  const { openModelChange } = await import('../model-change.ts');
  const change = await openModelChange(configuration);
  try {
    const active = (await change.needs.spaces.read())?.active;
    const embedder = active ? change.embedderFor(active.settings) : change.configured;
    return await fillForModel(change.needs, embedder, { signal });
  } finally {
    await change.close();
  }
}
