/**
 * A random delay between 0 and base × 2^attempt, at most `capMs`: clients that failed together should not retry
 * together.
 */
export function fullJitterMs(attempt: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
}
