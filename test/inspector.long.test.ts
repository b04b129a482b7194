/**
 * The inspector in a browser, page by page, over one world: what every page stands on, and before a release every page. The map
 * comes first: it is made anew when memory has changed.
 */

import { describe } from 'vitest';
import { accessibilitySpec } from './inspector/accessibility-spec.ts';
import { agentsSpec } from './inspector/agents-spec.ts';
import { browseSpec } from './inspector/browse-spec.ts';
import { budgetSpec } from './inspector/budget-spec.ts';
import { hasNoBrowser, openForAll, SLOW_MS } from './inspector/browser.ts';
import { factsSpec } from './inspector/facts-spec.ts';
import { mapSpec } from './inspector/map-spec.ts';
import { operationsSpec } from './inspector/operations-spec.ts';
import { searchSpec } from './inspector/search-spec.ts';
import { shellSpec } from './inspector/shell-spec.ts';
import { turnSpec } from './inspector/turn-spec.ts';

const isForRelease = process.env['LAMINA_TEST_ALL'] !== undefined;

describe.skipIf(hasNoBrowser)('the inspector', { timeout: SLOW_MS }, () => {
  openForAll();
  if (isForRelease) mapSpec();
  budgetSpec();
  searchSpec();
  turnSpec();
  shellSpec();
  if (!isForRelease) return;
  accessibilitySpec();
  browseSpec();
  agentsSpec();
  factsSpec();
  operationsSpec();
});
