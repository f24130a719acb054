import { ConfigMaps } from '@fairway/kube/kinds/resources';
import type { BenchServer } from '../api-server/servers.ts';
import { usageOf } from '../process-usage.ts';
import type { Attack } from './attacks.ts';
import { NAMESPACE } from './tenant.ts';

/** The effect of an attack. */
export interface Damage {
  /**
   * Time until the last request got a response or its connection was closed; undefined if the client can't measure it.
   */
  readonly longestMs: number | undefined;
  /** The longest time that another client waited for an object during the attack. */
  readonly otherClientsMs: number;
  /** Increase in the peak memory of all the server's processes. */
  readonly growthMib: number;
}

const MIB = 1024 * 1024;
const SAMPLE_INTERVAL_MS = 20;
/** Number of requests with which a newly started server fills its caches. */
const WARM_UP_REQUESTS = 50;

export async function measureDamage(server: BenchServer, attack: Attack): Promise<Damage> {
  const maps = server.admin.resource(ConfigMaps);
  const read = () => maps.get('beacon', { namespace: NAMESPACE });
  const metadata = { name: 'beacon', namespace: NAMESPACE };
  await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x' } });
  await attack.prepare?.(server);
  for (let index = 0; index < WARM_UP_REQUESTS; index++) await read();

  const before = usageOf(server.pids).rssBytes;
  let peakBytes = before;
  let otherClientsMs = 0;
  const stop = new AbortController();
  const probing = (async () => {
    while (!stop.signal.aborted) {
      const begin = performance.now();
      await read();
      otherClientsMs = Math.max(otherClientsMs, performance.now() - begin);
      peakBytes = Math.max(peakBytes, usageOf(server.pids).rssBytes);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_INTERVAL_MS));
    }
  })();
  const samplingTimer = setInterval(() => {
    peakBytes = Math.max(peakBytes, usageOf(server.pids).rssBytes);
  }, SAMPLE_INTERVAL_MS);
  try {
    const longestMs = await attack.run(server);
    return { longestMs, otherClientsMs, growthMib: (peakBytes - before) / MIB };
  } finally {
    stop.abort();
    clearInterval(samplingTimer);
    await probing;
  }
}
