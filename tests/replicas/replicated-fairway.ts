import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { resourceCounts, serverHistory } from '@fairway/controllers/testing/cloud-contents';
import { isReady } from '@fairway/controllers/testing/test-fairway';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { Home } from '@fairway/service/up/home';
import { startSimulatedCloud } from '@fairway/service/up/simulated-cloud';
import type { Cloud } from '@fairway/simulator/cloud';
import type { KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { startManagementCluster } from '../management/management-cluster.ts';
import { type CloudCall, recordCloudCalls } from './cloud-calls.ts';
import { killControlPlanes, PID_FILE } from './kill-control-planes.ts';
import { Replica } from './replica.ts';
import { ShardWatch } from './shard-watch.ts';

const NAMESPACE = 'default';
const DEADLINE_MS = 300_000;

/** A management cluster, a cloud that records who changes what, and as many replicas of Fairway as a test starts. */
export interface ReplicatedFairway extends AsyncDisposable {
  readonly shards: ShardWatch;
  readonly cloudCalls: readonly CloudCall[];
  readonly cloud: Cloud;
  /** Adds a replica, of this release or with the command of another, and waits until it has its share of the work. */
  addReplica(entry?: string): Promise<Replica>;
  /** Runs `fairway install` of this release. */
  install(): Promise<void>;
  /** The pid file of each control plane, by the cluster's UID. */
  controlPlanePids(): Promise<ReadonlyMap<string, string>>;
  /** Removes a replica that the test has stopped. */
  forget(replica: Replica): void;
  readonly replicas: readonly Replica[];
  createCluster(name: string): Promise<void>;
  scale(names: readonly string[], replicas: number): Promise<void>;
  /** Resolves when the clusters have this many nodes, all Ready. */
  waitUntilReady(names: readonly string[], replicas: number): Promise<void>;
  deleteClusters(): Promise<void>;
  /** Resolves with the first call from now on for each of the clusters that `predicate` selects. */
  firstCallsOf(
    names: readonly string[],
    predicate: (act: CloudCall) => boolean,
  ): Promise<ReadonlyMap<string, CloudCall>>;
  /** `namespace/name` of the cluster with this tag, even after its deletion. */
  clusterKeyOf(uid: string): string | undefined;
  /** Violations of the rule that only one replica acts on a cluster at a time; empty if there are none. */
  unownedCalls(): readonly string[];
  /** Servers that were ever created twice for a machine, and duplicate network resources. */
  duplicates(): readonly string[];
  /** Differences in the cloud and on this machine between now and before the first cluster. */
  leaked(): Promise<readonly string[]>;
}

/** With `installed` (an earlier release's objects), the kinds are that release's until `install` runs. */
export async function startReplicatedFairway(
  binaries: KubernetesBinaries,
  options: { readonly installed?: readonly KubeObject[] } = {},
): Promise<ReplicatedFairway> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairway-replicas-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const management = stack.use(await startManagementCluster(binaries, options));
  const client = stack.adopt(management.adminClient(), (each) => each.close());
  const cloudHome = new Home(join(folder, 'cloud'));
  cloudHome.create();
  const cloudOptions = {
    home: cloudHome,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    latency: 'none',
  } as const;
  const simulated = stack.adopt(await startSimulatedCloud(cloudOptions), (each) => each.close());
  const { cloud } = simulated;
  cloud.setQuota('demo', {
    network: 100,
    subnet: 100,
    router: 100,
    port: 5_000,
    security_group: 100,
    security_group_rule: 5_000,
  });
  simulated.startNodes();
  const { cloudCalls, onCloudCall } = recordCloudCalls(cloud);
  const shards = stack.adopt(new ShardWatch(client), (each) => each.stop());
  const before = JSON.stringify(resourceCounts(cloud));
  const replicas: Replica[] = [];
  const home = join(folder, 'home');
  // A failed test leaves control planes behind, because they outlive replicas.
  stack.defer(() => killControlPlanes(home));
  stack.defer(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
  });
  const keys = new Map<string, string>();

  const create = <T extends KubeObject>(type: ResourceType<T>, object: T) =>
    client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  const namesOf = (act: CloudCall) => keys.get(act.clusterUid ?? '')?.split('/')[1] ?? '';

  return {
    shards,
    cloudCalls,
    cloud,
    replicas,
    install: () => management.install(),
    async controlPlanePids() {
      const planes = new Home(home).simulatedControlPlanes;
      const read = async (uid: string) => [uid, await readFile(join(planes, uid, PID_FILE), 'utf8')] as const;
      return new Map(await Promise.all((await readdir(planes)).map(read)));
    },
    async addReplica(entry) {
      const { controllers: kubeconfig } = management.kubeconfigs;
      const replica = await Replica.start({
        kubeconfig,
        cloudsYaml: cloudHome.cloudsYaml,
        cloud: 'simulator',
        home,
        ...(entry !== undefined && { entry }),
      });
      replicas.push(replica);
      await shards.waitUntilShared(replicas.map(({ identity }) => identity));
      return replica;
    },
    forget: (replica) => void replicas.splice(replicas.indexOf(replica), 1),
    async createCluster(name) {
      const cluster = await create(clusters, aCluster({}, { name, namespace: NAMESPACE }));
      keys.set(identityOf(cluster), keyOf(cluster));
      await create(nodePools, aNodePool({ clusterName: name, replicas: 1 }, { name, namespace: NAMESPACE }));
    },
    async scale(names, count) {
      const value = { spec: { replicas: count } };
      await Promise.all(
        names.map((name) => client.resource(nodePools).patch(name, { type: 'merge', value }, { namespace: NAMESPACE })),
      );
    },
    async waitUntilReady(names, count) {
      const matchesCluster = (name: string) => (machine: Machine) => machine.spec.clusterName === name;
      await all<Machine>(client, machines, (found) =>
        names.every((name) => {
          const own = found.filter(matchesCluster(name));
          return own.length === count && own.every(isReady);
        }),
      );
      await all<Cluster>(client, clusters, (found) =>
        names.every((name) => isReady(found.find(({ metadata }) => metadata.name === name))),
      );
    },
    async deleteClusters() {
      const { items } = await client.resource(clusters).list({ namespace: NAMESPACE });
      await Promise.all(
        items.map(({ metadata }) => client.resource(clusters).delete(metadata.name ?? '', { namespace: NAMESPACE })),
      );
      await all<Cluster>(client, clusters, (found) => found.length === 0);
    },
    async firstCallsOf(names, predicate) {
      const found = new Map<string, CloudCall>();
      const done = Promise.withResolvers<void>();
      const stop = onCloudCall((act) => {
        const name = namesOf(act);
        if (!names.includes(name) || found.has(name) || !predicate(act)) return;
        found.set(name, act);
        if (found.size === names.length) done.resolve();
      });
      const deadline = systemClock.after(DEADLINE_MS, () =>
        done.reject(new Error(`nobody acted on ${names.filter((name) => !found.has(name)).join(', ')}`)),
      );
      await done.promise.finally(() => {
        stop();
        deadline.cancel();
      });
      return found;
    },
    clusterKeyOf: (uid) => keys.get(uid),
    unownedCalls: () => shards.unownedCalls(cloudCalls, (uid) => keys.get(uid)),
    duplicates: () => [...duplicates(serverHistory(cloud).map(({ name }) => name)), ...duplicates(networkTags(cloud))],
    async leaked() {
      const planes = await readdir(new Home(home).simulatedControlPlanes);
      const now = JSON.stringify(resourceCounts(cloud));
      return [...planes, ...(now === before ? [] : [`the cloud holds ${now} instead of ${before}`])];
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function all<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  predicate: (objects: readonly T[]) => boolean,
): Promise<void> {
  await eventually(client.resource(type), { namespace: NAMESPACE }, predicate);
}

function duplicates(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Tags of network resources, which Fairway uses to find the owning cluster: one tag for each resource. */
function networkTags(cloud: Cloud): readonly string[] {
  const tables = cloud.snapshot() as Readonly<Record<string, readonly { readonly description?: string }[]>>;
  return ['networks', 'subnets', 'routers', 'security_groups']
    .flatMap((kind) => tables[kind] ?? [])
    .map(({ description = '' }) => description)
    .filter((description) => description.startsWith('Fairway cluster '));
}
