import { median, quantile } from '../figures.ts';
import { usageOf } from '../process-usage.ts';

/** A way in, with sessions that are open already. */
export interface Door {
  readonly name: string;
  /** Of the servers that a request passes. */
  readonly pids: readonly number[];
  /** Asks once, as the session of this number; rejects unless the answer is what was asked for. */
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

/** Asks so often, each session in its turn. */
export async function loadOf(door: Door, { requests, sessions, atATime }: LoadOptions): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const session = next++ % sessions;
      const askedMs = performance.now();
      await door.ask(session);
      times.push(performance.now() - askedMs);
    }
  };
  const { cpuMs: before } = usageOf(door.pids);
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: atATime }, worker));
  const seconds = (performance.now() - beganMs) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: requests / seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMsPerRequest: (usageOf(door.pids).cpuMs - before) / requests,
  };
}

/** The median of each figure over rounds in which all doors take turns, the first of a round being another one each time. */
export async function inTurn(
  doors: readonly Door[],
  rounds: number,
  options: LoadOptions,
): Promise<ReadonlyMap<Door, Load>> {
  const measured = new Map(doors.map((door) => [door, [] as Load[]]));
  // Connections, caches and compiled code are there before anything counts; only so many new tokens are looked up at a time.
  for (const door of doors) await loadOf(door, { ...options, requests: options.sessions * 20, atATime: 1 });
  for (let round = 0; round < rounds; round++) {
    const at = round % doors.length;
    for (const door of [...doors.slice(at), ...doors.slice(0, at)]) {
      measured.get(door)?.push(await loadOf(door, options));
    }
  }
  const medianOf = (loads: readonly Load[], key: keyof Load) => median(loads.map((load) => load[key]));
  return new Map(
    [...measured].map(([door, loads]) => [
      door,
      {
        perSecond: medianOf(loads, 'perSecond'),
        p50Ms: medianOf(loads, 'p50Ms'),
        p99Ms: medianOf(loads, 'p99Ms'),
        cpuMsPerRequest: medianOf(loads, 'cpuMsPerRequest'),
      },
    ]),
  );
}
