import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { type ControllersOptions, createControllers } from '@fairway/controllers/start';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import type { KeyWorker } from '@fairway/kube/controller/key-owner';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Figure, formatFigures, median } from './figures.ts';

const CLUSTERS = 3_000;
const NAMESPACES = 100;
const MACHINES_PER_POOL = 3;
const ROUNDS = 5;

/**
 * Maps every object of a full installation to reconcile keys in all controllers, like a replica that has just taken
 * over keys. Nothing is reconciled.
 */
export async function benchMapping(print: (text: string) => void): Promise<void> {
  const shared = { clock: systemClock, random: Math.random, log: silentLogger };
  const client = new KubeClient(listTransport(sampleObjects()));
  const informers = new InformerSet(client, shared);
  const workers: KeyWorker[] = [];
  // Controllers use no other dependencies while they map keys.
  const stubs = {
    clouds: { forNamespace: () => undefined, forgetCredential() {}, onProject() {} },
    runtime: { onChange() {} },
    tenants: { onConnect() {} },
  } as unknown as Pick<ControllersOptions, 'clouds' | 'runtime' | 'tenants' | 'credentials' | 'bootstrapper'>;
  createControllers({
    ...shared,
    ...stubs,
    client,
    informers,
    owner: {
      stillOwns: () => false,
      grant: () => undefined,
      tenure: () => undefined,
      register: (worker) => void workers.push(worker),
    },
  });
  const stop = new AbortController();
  informers.start(stop.signal);
  await informers.whenSynced();
  const passesMs = Array.from({ length: ROUNDS }, () => {
    const startedMs = performance.now();
    for (const worker of workers) worker.enqueueAll(() => false);
    return performance.now() - startedMs;
  });
  stop.abort();
  const figures: Figure[] = [{ name: 'all objects mapped to keys once', unit: 'ms', value: median(passesMs) }];
  print(formatFigures(`mapping: ${CLUSTERS} clusters, a pool of ${MACHINES_PER_POOL} machines in each`, figures));
}

/** Objects by the plural of their kind, as in a full installation. */
function sampleObjects(): ReadonlyMap<string, readonly KubeObject[]> {
  const namespaces = Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`);
  const all = Array.from({ length: CLUSTERS }, (_, index) => {
    const metadata = { name: `c${index}`, namespace: `team-${index % NAMESPACES}`, uid: `cluster-${index}` };
    return aCluster({ credentialName: 'mine' }, metadata);
  });
  const pools = all.map(({ metadata }) =>
    aNodePool(
      { clusterName: `${metadata.name}` },
      { name: `${metadata.name}-general`, namespace: `${metadata.namespace}`, uid: `pool-${metadata.uid}` },
    ),
  );
  const nodes = pools.flatMap(({ metadata, spec }, index) =>
    Array.from({ length: MACHINES_PER_POOL }, (_, node) => ({
      metadata: {
        name: `${metadata.name}-${node}`,
        namespace: `${metadata.namespace}`,
        uid: `machine-${index}-${node}`,
        labels: { [CLUSTER_UID_LABEL]: `cluster-${index}` },
      },
      spec: { clusterName: spec.clusterName, nodePoolName: metadata.name, flavor: 'b3-8' },
    })),
  );
  const credentials = namespaces.map((namespace) => ({
    metadata: { name: 'mine', namespace, uid: `credential-${namespace}` },
    spec: { cloud: 'west', secretRef: { name: 'mine' } },
  }));
  return new Map<string, readonly KubeObject[]>([
    [clusters.plural, all],
    [nodePools.plural, pools],
    [machines.plural, nodes],
    [cloudCredentials.plural, credentials],
    [plans.plural, SHIPPED_PLANS],
    [kubernetesReleases.plural, SHIPPED_RELEASES],
  ]);
}

/** An API server that lists these objects and never changes. */
function listTransport(objects: ReadonlyMap<string, readonly KubeObject[]>): Transport {
  return {
    async request({ path, signal }: TransportRequest): Promise<TransportResponse> {
      const { pathname, searchParams } = new URL(path, 'http://api');
      const items = objects.get(pathname.split('/').at(-1) ?? '') ?? [];
      const list = { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items };
      return {
        status: 200,
        headers: {},
        text: () => Promise.resolve(searchParams.has('watch') ? '' : JSON.stringify(list)),
        lines: () => idleWatch(signal),
      };
    },
    close() {},
  };
}

// oxlint-disable-next-line require-yield -- a watch on which nothing happens
async function* idleWatch(signal: AbortSignal | undefined): AsyncGenerator<string> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
