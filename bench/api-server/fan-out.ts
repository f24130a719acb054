import { quantile } from '../figures.ts';
import { usageOf } from '../process-usage.ts';
import type { BenchServer } from './servers.ts';
import type { Workers } from './workers.ts';

export interface FanOut {
  readonly watches: number;
  /** Throughput when each write starts as soon as the previous write has completed. */
  readonly perSecond: number;
  /** Write rate for the latencies: far below what either server can sustain. */
  readonly pacedPerSecond: number;
  /** Time from just before the write until the event arrives. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerEvent: number;
  readonly clientShare: number;
}

/** A separate namespace: the watches need only a few objects. */
export const FAN_OUT_NAMESPACE = 'bench-watch';
const PACED_EVENTS_PER_SECOND = 5_000;
const PACED_DURATION_MS = 2_000;
const SATURATED_DURATION_MS = 2_000;

/** One worker writes an object that all other workers watch. */
export async function measureFanOut({ target, pids }: BenchServer, workers: Workers, count: number): Promise<FanOut> {
  const [writer, ...watchers] = workers.all;
  if (writer === undefined) throw new Error('no worker');
  const namespace = FAN_OUT_NAMESPACE;
  await workers.setTarget(target);
  const watchesPerWorker = count / watchers.length;
  await Promise.all(watchers.map((worker) => worker.run({ type: 'watch', namespace, count: watchesPerWorker })));

  const perSecond = PACED_EVENTS_PER_SECOND / count;
  const write = async (durationMs: number, perSecond: number | undefined) => {
    const writeResult = await writer.run({ type: 'write', namespace, durationMs, perSecond });
    const seen = await Promise.all(
      watchers.map((worker) => worker.run({ type: 'delivered', writes: writeResult.count })),
    );
    return { written: writeResult, seen, elapsedMs: Math.max(...seen.map(({ atMs }) => atMs)) - writeResult.atMs };
  };
  const pacedRun = await write(PACED_DURATION_MS, perSecond);
  const latencies = pacedRun.seen.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);

  const before = usageOf(pids).cpuMs;
  const { seen, elapsedMs } = await write(SATURATED_DURATION_MS, undefined);
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
