/** With a longer delay, browsers call back immediately. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * setTimeout for delays of weeks, because ServiceAccount tokens can be valid that long. The returned function cancels
 * it.
 */
export function setLongTimeout(ms: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (remainingMs: number) => {
    const delayMs = Math.min(Math.max(0, remainingMs), MAX_DELAY_MS);
    timer = setTimeout(() => (remainingMs > delayMs ? wait(remainingMs - delayMs) : callback()), delayMs);
  };
  wait(ms);
  return () => clearTimeout(timer);
}
