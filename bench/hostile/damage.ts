import { ConfigMaps } from '@fairway/kube/kinds/resources';
import type { BenchServer } from '../api-server/servers.ts';
import { usageOf } from '../process-usage.ts';
import type { Attack } from './attacks.ts';
import { NAMESPACE } from './tenant.ts';

/** The effect of an attack. */
export interface Damage {
  /** Until the last request was answered or closed; undefined if the client can't measure it. */
  readonly longestMs: number | undefined;
  /** The longest that another client waited for an object meanwhile. */
  readonly othersMs: number;
  /** Peak memory of all processes of the server above the level before. */
  readonly growthMib: number;
}

const MIB = 1024 * 1024;
const PAUSE_MS = 20;
/** Lets a server that has just started fill its caches. */
const WARM_UP_REQUESTS = 50;

export async function measureDamage(server: BenchServer, attack: Attack): Promise<Damage> {
  const maps = server.admin.resource(ConfigMaps);
  const read = () => maps.get('beacon', { namespace: NAMESPACE });
  const metadata = { name: 'beacon', namespace: NAMESPACE };
  await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x' } });
  await attack.prepare?.(server);
  for (let index = 0; index < WARM_UP_REQUESTS; index++) await read();

  const before = usageOf(server.pids).rssBytes;
  let mostBytes = before;
  let othersMs = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const begin = performance.now();
      await read();
      othersMs = Math.max(othersMs, performance.now() - begin);
      mostBytes = Math.max(mostBytes, usageOf(server.pids).rssBytes);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  const sampling = setInterval(() => {
    mostBytes = Math.max(mostBytes, usageOf(server.pids).rssBytes);
  }, PAUSE_MS);
  try {
    const longestMs = await attack.run(server);
    return { longestMs, othersMs, growthMib: (mostBytes - before) / MIB };
  } finally {
    over.abort();
    clearInterval(sampling);
    await watching;
  }
}
