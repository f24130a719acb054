/** CPU time of this thread: the machine's speed and other load hardly affect it. */
export interface Work {
  readonly cpuMs: number;
  /** The longest time during which nothing else could run. */
  readonly maxTurnMs: number;
}

/** Counts event-loop turns of this thread while `run` runs. */
export async function workOf(run: () => Promise<unknown>): Promise<Work> {
  let maxTurnMs = 0;
  let isRunning = true;
  let turnStartedMs = process.threadCpuUsage();
  const measureTurn = () => {
    maxTurnMs = Math.max(maxTurnMs, sinceMs(turnStartedMs));
    turnStartedMs = process.threadCpuUsage();
    if (isRunning) setTimeout(measureTurn, 0);
  };
  const startedMs = process.threadCpuUsage();
  measureTurn();
  try {
    await run();
  } finally {
    isRunning = false;
  }
  maxTurnMs = Math.max(maxTurnMs, sinceMs(turnStartedMs));
  return { cpuMs: sinceMs(startedMs), maxTurnMs };
}

function sinceMs(startedMs: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(startedMs);
  return (user + system) / 1000;
}

/** The minimum of several runs: garbage collection and other load only add to it. */
export async function minWorkOf(times: number, run: () => Promise<unknown>): Promise<Work> {
  let minimum = await workOf(run);
  for (let more = 1; more < times; more++) {
    const { cpuMs, maxTurnMs } = await workOf(run);
    minimum = { cpuMs: Math.min(minimum.cpuMs, cpuMs), maxTurnMs: Math.min(minimum.maxTurnMs, maxTurnMs) };
  }
  return minimum;
}

/** Anything below this is within the usual duration of a request. */
const FLOOR_MS = 40;
/** Four times the input takes linear work four times as long, quadratic work sixteen times. */
const FACTOR = 4;
const MAX_GROWTH = 8;

/**
 * Reports work that grows faster than the input, from `from` to `to` bytes in steps of a factor of four; undefined if
 * it does not.
 */
export async function excessiveWork(
  send: (length: number) => Promise<unknown>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string | undefined> {
  let short: Work | undefined;
  for (let length = from; length <= to; length *= FACTOR) {
    let long = await workOf(() => send(length));
    if (short !== undefined && short.cpuMs >= FLOOR_MS && long.cpuMs >= short.cpuMs * MAX_GROWTH) {
      short = await minWorkOf(3, () => send(length / FACTOR));
      long = await minWorkOf(2, () => send(length));
      if (short.cpuMs >= FLOOR_MS && long.cpuMs >= short.cpuMs * MAX_GROWTH) {
        return `${length / FACTOR}: ${short.cpuMs.toFixed(0)} ms, ${length}: ${long.cpuMs.toFixed(0)} ms`;
      }
    }
    short = long;
  }
  return undefined;
}
