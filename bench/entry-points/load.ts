import { median, quantile } from '../figures.ts';
import { usageOf } from '../process-usage.ts';

/** An entry point with open sessions. */
export interface EntryPoint {
  readonly name: string;
  /** CPU of the servers that handle a request. */
  readonly pids: readonly number[];
  /** Sends one request in the session with this number; rejects unless the response is as expected. */
  readonly ask: (session: number) => Promise<void>;
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
  readonly atATime: number;
}

/** Sends this many requests, round-robin over the sessions. */
export async function loadOf(entryPoint: EntryPoint, { requests, sessions, atATime }: LoadOptions): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const session = next++ % sessions;
      const askedMs = performance.now();
      await entryPoint.ask(session);
      times.push(performance.now() - askedMs);
    }
  };
  const { cpuMs: before } = usageOf(entryPoint.pids);
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: atATime }, worker));
  const seconds = (performance.now() - beganMs) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: requests / seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMsPerRequest: (usageOf(entryPoint.pids).cpuMs - before) / requests,
  };
}

/** The median of each figure over rounds in which all entry points are measured in turn, each round starting with a different one. */
export async function inTurn(
  entryPoints: readonly EntryPoint[],
  rounds: number,
  options: LoadOptions,
): Promise<ReadonlyMap<EntryPoint, Load>> {
  const measured = new Map(entryPoints.map((entryPoint) => [entryPoint, [] as Load[]]));
  // Warm-up of connections, caches and compiled code; the number of concurrent lookups of new tokens is limited.
  for (const entryPoint of entryPoints)
    await loadOf(entryPoint, { ...options, requests: options.sessions * 20, atATime: 1 });
  for (let round = 0; round < rounds; round++) {
    const at = round % entryPoints.length;
    for (const entryPoint of [...entryPoints.slice(at), ...entryPoints.slice(0, at)]) {
      measured.get(entryPoint)?.push(await loadOf(entryPoint, options));
    }
  }
  const medianOf = (loads: readonly Load[], key: keyof Load) => median(loads.map((load) => load[key]));
  return new Map(
    [...measured].map(([entryPoint, loads]) => [
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
