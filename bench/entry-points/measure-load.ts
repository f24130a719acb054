import { median, quantile } from '../figures.ts';
import { usageOf } from '../process-usage.ts';

/** An entry point with open sessions. */
export interface EntryPoint {
  readonly name: string;
  /** PIDs of the servers that handle a request, to measure their CPU time. */
  readonly pids: readonly number[];
  /** Sends one request in the session with this number; rejects if the response is not as expected. */
  readonly sendRequest: (session: number) => Promise<void>;
}

export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
}

export interface LoadOptions {
  readonly requests: number;
  readonly sessions: number;
  readonly concurrency: number;
}

/** Sends this many requests, round-robin over the sessions. */
export async function measureLoad(
  entryPoint: EntryPoint,
  { requests, sessions, concurrency }: LoadOptions,
): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const session = next++ % sessions;
      const sentMs = performance.now();
      await entryPoint.sendRequest(session);
      times.push(performance.now() - sentMs);
    }
  };
  const { cpuMs: before } = usageOf(entryPoint.pids);
  const startMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startMs) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: requests / seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMsPerRequest: (usageOf(entryPoint.pids).cpuMs - before) / requests,
  };
}

/**
 * The median of each figure over several rounds. Each round measures all entry points in turn and starts with a
 * different one.
 */
export async function measureInTurn(
  entryPoints: readonly EntryPoint[],
  rounds: number,
  options: LoadOptions,
): Promise<ReadonlyMap<EntryPoint, Load>> {
  const measurements = new Map(entryPoints.map((entryPoint) => [entryPoint, [] as Load[]]));
  // Warms up connections, caches and compiled code; the number of concurrent lookups of new tokens is limited.
  for (const entryPoint of entryPoints)
    await measureLoad(entryPoint, { ...options, requests: options.sessions * 20, concurrency: 1 });
  for (let round = 0; round < rounds; round++) {
    const at = round % entryPoints.length;
    for (const entryPoint of [...entryPoints.slice(at), ...entryPoints.slice(0, at)]) {
      measurements.get(entryPoint)?.push(await measureLoad(entryPoint, options));
    }
  }
  const medianOf = (loads: readonly Load[], key: keyof Load) => median(loads.map((load) => load[key]));
  return new Map(
    [...measurements].map(([entryPoint, loads]) => [
      entryPoint,
      {
        perSecond: medianOf(loads, 'perSecond'),
        p50Ms: medianOf(loads, 'p50Ms'),
        p99Ms: medianOf(loads, 'p99Ms'),
        cpuMsPerRequest: medianOf(loads, 'cpuMsPerRequest'),
      },
    ]),
  );
}
