import { quantile } from '../figures.ts';
import { usageOf } from '../process-usage.ts';
import type { BenchServer } from './servers.ts';
import type { Workers } from './workers.ts';

export interface FanOut {
  readonly watches: number;
  /** Throughput when each write starts as soon as one is answered. */
  readonly perSecond: number;
  /** Write rate for the latencies: far below what either server can sustain. */
  readonly pacedPerSecond: number;
  /** From before the write to the event's arrival. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerEvent: number;
  readonly clientShare: number;
}

/** Watches need only a few objects, but separate namespaces. */
export const FAN_OUT_NAMESPACE = 'bench-watch';
const PACED_EVENTS_PER_SECOND = 5_000;
const PACED_MS = 2_000;
const SATURATED_MS = 2_000;

/** One worker writes an object that the watches of all others observe. */
export async function measureFanOut({ target, pids }: BenchServer, workers: Workers, count: number): Promise<FanOut> {
  const [writer, ...watchers] = workers.all;
  if (writer === undefined) throw new Error('no worker');
  const namespace = FAN_OUT_NAMESPACE;
  await workers.aimAt(target);
  const ofEach = count / watchers.length;
  await Promise.all(watchers.map((worker) => worker.run({ type: 'watch', namespace, count: ofEach })));

  const perSecond = PACED_EVENTS_PER_SECOND / count;
  const write = async (durationMs: number, perSecond: number | undefined) => {
    const written = await writer.run({ type: 'write', namespace, durationMs, perSecond });
    const seen = await Promise.all(watchers.map((worker) => worker.run({ type: 'delivered', writes: written.count })));
    return { written, seen, elapsedMs: Math.max(...seen.map(({ atMs }) => atMs)) - written.atMs };
  };
  const paced = await write(PACED_MS, perSecond);
  const latencies = paced.seen.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);

  const before = usageOf(pids).cpuMs;
  const { seen, elapsedMs } = await write(SATURATED_MS, undefined);
  const events = seen.reduce((sum, { count }) => sum + count, 0);
  const cpuMs = usageOf(pids).cpuMs - before;
  await Promise.all(watchers.map((worker) => worker.run({ type: 'unwatch' })));
  return {
    watches: count,
    perSecond: (events * 1000) / elapsedMs,
    pacedPerSecond: PACED_EVENTS_PER_SECOND,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuUsPerEvent: (cpuMs * 1000) / events,
    clientShare: Math.max(...seen.map((it) => it.cpuMs / elapsedMs)),
  };
}
