/** Why a text was quarantined: in what way it reads like instructions to a model rather than like knowledge. */

export const SUSPICIONS = [
  'override',
  'role',
  'tool_call',
  'exfiltration',
  'hidden',
  'encoded',
  'persistence',
  'unreviewed',
] as const;

/**
 * `override`: sets other instructions aside. `role`: speaks as the system or as another turn. `tool_call`: imitates one.
 * `exfiltration`: sends data away. `hidden`: in invisible characters. `encoded`: any of these, encoded. `persistence`:
 * tells a model what to do from now on. `unreviewed`: only that all text of its trust waits for review.
 */
export type Suspicion = (typeof SUSPICIONS)[number];
