/** Milliseconds since 1970 with fractions: comparable between processes on the same machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
