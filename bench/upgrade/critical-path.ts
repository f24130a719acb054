/** Time that external actions for one node took, in ms, independent of when they were requested. */
export interface NodeTimes {
  /** Time until its pods have stopped. */
  readonly drainMs: number;
  /** Time from the request for the server, or for its reinstallation, until it was a Ready node. */
  readonly installMs: number;
  /** Time from the request to delete the old server until it no longer existed; 0 for an in-place update. */
  readonly deletionMs: number;
}

/**
 * Minimum time to replace nodes `width` at a time without idle time. Each node starts when the previous node in its
 * lane is done. All nodes but the first also wait until the first new node works. Pure.
 */
export function criticalPathMs(nodes: readonly NodeTimes[], type: 'Rolling' | 'InPlace', width: number): number {
  const [first, ...others] = nodes;
  if (first === undefined) return 0;
  const firstNodeMs = first.installMs + (type === 'InPlace' ? first.drainMs : 0);
  const lanes = Array.from({ length: width }, (_, lane) => (lane === 0 ? totalOf(first) : firstNodeMs));
  for (const node of others) {
    const next = lanes.indexOf(Math.min(...lanes));
    lanes[next] = (lanes[next] ?? 0) + totalOf(node);
  }
  return Math.max(...lanes);
}

function totalOf({ drainMs, installMs, deletionMs }: NodeTimes): number {
  return drainMs + installMs + deletionMs;
}
