/** How a command says that something it wrote is found only after somebody looked at it. */

/** Without a count of the one that the line before tells of. */
export function quarantineText(count?: number): string {
  const which = count === undefined ? 'It' : `${count} of them`;
  const waits = count === undefined || count === 1 ? 'is in quarantine and is' : 'are in quarantine and are';
  return `${which} ${waits} not found before somebody looks: lamina quarantine list`;
}
