import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ClusterCost } from './cluster-cost.ts';

const MIB = 1024 * 1024;

/** Memory used by a replica's caches of all Clusters, NodePools and Machines. */
export interface CacheCost {
  readonly listMib: number;
  readonly heapMib: number;
  /** Time to read the first lists. */
  readonly cpuMs: number;
}

export async function measureCaches(one: ClusterCost, count: number): Promise<CacheCost> {
  const lists = new Map([
    [clusters.plural, listBody(copies([one.cluster], count))],
    [nodePools.plural, listBody(copies([one.pool], count))],
    [machines.plural, listBody(copies(one.machines, count))],
  ]);
  const listMib = [...lists.values()].reduce((sum, text) => sum + text.length, 0) / MIB;
  const before = liveHeap();
  const cpu = process.cpuUsage();
  const shared = { clock: systemClock, random: Math.random, log: silentLogger };
  const informers = new InformerSet(new KubeClient(listTransport(lists)), shared);
  const all = [informers.informer(clusters), informers.informer(nodePools), informers.informer(machines)];
  const stop = new AbortController();
  informers.start(stop.signal);
  await informers.whenSynced();
  const { user, system } = process.cpuUsage(cpu);
  const heapMib = (liveHeap() - before) / MIB;
  const objectCount = all.reduce((sum, informer) => sum + informer.list().length, 0);
  stop.abort();
  await informers.stopped();
  if (objectCount !== count * (2 + one.machines.length)) throw new Error(`the caches hold ${objectCount} objects`);
  return { listMib, heapMib, cpuMs: (user + system) / 1000 };
}

/** Copies the objects for this many clusters, each with unique names and identities. */
function copies(objects: readonly KubeObject[], count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) =>
    objects.map(({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, name: `${metadata.name}-${index}`, uid: `${metadata.uid}-${index}` },
    })),
  ).flat();
}

function listBody(items: readonly KubeObject[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items });
}

/** An API server that lists these objects and never changes. */
function listTransport(lists: ReadonlyMap<string, string>): Transport {
  return {
    request({ path, signal }: TransportRequest): Promise<TransportResponse> {
      const { pathname } = new URL(path, 'http://api');
      const text = lists.get(pathname.split('/').at(-1) ?? '') ?? listBody([]);
      return Promise.resolve({
        status: 200,
        headers: {},
        text: () => Promise.resolve(text),
        lines: () => idleWatch(signal),
      });
    },
    close() {},
  };
}

// oxlint-disable-next-line require-yield -- a watch on which nothing happens
async function* idleWatch(signal: AbortSignal | undefined): AsyncGenerator<string> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

function liveHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
