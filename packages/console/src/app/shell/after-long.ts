/** With a longer delay, browsers call back immediately. */
const LONGEST_MS = 2 ** 31 - 1;

/** setTimeout for delays of weeks, as tokens of ServiceAccounts can be valid that long. The returned function cancels it. */
export function afterLong(ms: number, callBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (leftMs: number) => {
    const stepMs = Math.min(Math.max(0, leftMs), LONGEST_MS);
    timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callBack()), stepMs);
  };
  wait(ms);
  return () => clearTimeout(timer);
}
