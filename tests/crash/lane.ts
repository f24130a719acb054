import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { TransportError } from '@fairway/kube/client/transport';
import { isApiError } from '@fairway/kube/object/api-error';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { type LatencyProfile, NO_LATENCY } from '@fairway/simulator/http/latency';
import { type CloudContents, cloudContents, type Inventory, leakReports } from './cloud-audit.ts';
import { type FairwayPlace, MortalFairway } from './mortal-fairway.ts';

/** Slow enough that a kill interrupts calls and servers in progress, but fast enough for hundreds of rounds. */
const LATENCY: LatencyProfile = {
  operations: { identity: 1, compute: [1, 8], network: [1, 8], 'compute POST /v2.1/servers': [5, 40] },
  lifecycle: {
    ...NO_LATENCY.lifecycle,
    schedule: [0, 20],
    network: [0, 40],
    spawn: [20, 200],
    delete: [20, 150],
  },
};
const SETTLE_MS = 400;
const CLUSTERS = ['a', 'b'];
const POOLS = ['one', 'two'];
const MAX_REPLICAS = 3;
const NAMESPACE = 'default';
const POLL_MS = 40;

/** One cloud, one Fairway that is repeatedly killed and restarted, and one user who keeps working. */
export class Lane {
  readonly #random: () => number;
  readonly #place: FairwayPlace;
  readonly #cloud: Cloud;
  readonly #originalContents: CloudContents;
  readonly #additionalNetworkID: string;
  readonly #closing: (() => Promise<void> | void)[];
  /**
   * Acknowledged requests that were not superseded: the replicas of pools by `cluster/pool`, undefined for deleted
   * pools.
   */
  readonly #expectedReplicas = new Map<string, number | undefined>();
  readonly actions: string[] = [];
  #fairway: MortalFairway;
  #next: MortalFairway;

  private constructor(
    random: () => number,
    place: FairwayPlace,
    cloud: Cloud,
    additionalNetworkID: string,
    closing: (() => Promise<void> | void)[],
  ) {
    this.#random = random;
    this.#place = place;
    this.#cloud = cloud;
    this.#originalContents = cloudContents(cloud);
    this.#additionalNetworkID = additionalNetworkID;
    this.#closing = closing;
    this.#fairway = new MortalFairway(place);
    this.#next = new MortalFairway(place);
  }

  static async open(folder: string, random: () => number): Promise<Lane> {
    await mkdir(folder, { recursive: true });
    const cloud = createCloud({ clock: systemClock, random, config: { latency: LATENCY } });
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    const cloudsYaml = join(folder, 'clouds.yaml');
    await writeFile(cloudsYaml, cloud.cloudsYaml());
    const cloudOptions = { clock: systemClock, random, log: silentLogger };
    const admin = openCloud(readCloudsYaml(cloudsYaml), 'simulator-admin', cloudOptions);
    const additionalNetworkID = await makeNetwork(cloudsYaml, cloudOptions);
    const fleet = new HollowNodeFleet({
      cloud: openStackFleetCloud(admin.client()),
      disks: new MemoryDisks(),
      ...cloudOptions,
    });
    cloud.onServerActive(() => fleet.poke());
    cloud.onServerDown(() => fleet.poke());
    fleet.start();
    const place = {
      home: join(folder, 'home'),
      cloudsYaml,
      cloud: 'simulator',
      settleMs: SETTLE_MS,
      compileCache: join(folder, '..', 'compile-cache'),
    };
    return new Lane(random, place, cloud, additionalNetworkID, [
      () => fleet.stop(),
      () => admin.close(),
      () => cloud.close(),
    ]);
  }

  async start(): Promise<void> {
    await this.#fairway.start();
  }

  /** Runs one round: a user action, `kill -9` up to `killWithinMs` after the request or its response, and a restart. */
  async round(killWithinMs: number): Promise<void> {
    const client = await this.#fairway.client();
    const action = this.#act(client);
    if (this.#random() < 0.75) await action;
    await systemClock.sleep(this.#random() * killWithinMs);
    await this.#killAndStart();
    await action;
  }

  /** Sends one `kill -9` within `killWithinMs` of the start, at any point. */
  async killDuringStart(killWithinMs: number): Promise<void> {
    await systemClock.sleep(this.#random() * killWithinMs);
    this.actions.push('nothing');
    await this.#killAndStart();
  }

  /** Resolves when the state is as expected; rejects with the differences after `deadlineMs`. */
  async converge(deadlineMs: number): Promise<void> {
    await this.#until(deadlineMs, (client) => this.#problems(client));
  }

  /** Deletes everything; resolves when the project is back in its original state. */
  async clear(deadlineMs: number): Promise<void> {
    const client = await this.#fairway.client();
    const { items } = await client.resource(clusters).list({ namespace: NAMESPACE });
    for (const { metadata } of items) {
      this.#forget(metadata.name ?? '');
      await client.resource(clusters).delete(metadata.name ?? '', { namespace: NAMESPACE });
    }
    await this.#until(deadlineMs, async (client) => {
      const inventory = await inventoryOf(client);
      const remaining = [...inventory.clusters, ...inventory.pools, ...inventory.machines].map(describeObject);
      return [
        ...remaining,
        ...leakReports(this.#originalContents, cloudContents(this.#cloud), { clusters: [], pools: [], machines: [] }),
      ];
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#fairway.kill(), this.#next.kill()]);
    for (const close of this.#closing) await close();
  }

  async #killAndStart(): Promise<void> {
    await this.#fairway.kill();
    this.#fairway = this.#next;
    await this.#fairway.start();
    this.#next = new MortalFairway(this.#place);
  }

  async #until(deadlineMs: number, findProblems: (client: KubeClient) => Promise<readonly string[]>): Promise<void> {
    const client = await this.#fairway.client();
    const endMs = systemClock.now() + deadlineMs;
    for (;;) {
      const problems = await findProblems(client);
      if (problems.length === 0) return;
      if (systemClock.now() > endMs) {
        const log = join(this.#place.home, 'log');
        throw new Error(
          `not within ${deadlineMs} ms (log: ${log}):\n${problems.join('\n')}\nafter ${this.actions.join(', ')}`,
        );
      }
      await systemClock.sleep(POLL_MS);
    }
  }

  async #problems(client: KubeClient): Promise<readonly string[]> {
    const inventory = await inventoryOf(client);
    const problems: string[] = [];
    for (const object of [...inventory.clusters, ...inventory.pools, ...inventory.machines]) {
      const isLeaving = object.metadata.deletionTimestamp !== undefined;
      const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
      if (isLeaving || ready?.status !== 'True') problems.push(describeObject(object));
    }
    for (const pool of inventory.pools) {
      const { spec, status, metadata } = pool;
      const own = inventory.machines.filter((machine) =>
        machine.metadata.ownerReferences?.some((o) => o.uid === metadata.uid),
      );
      if (own.length !== spec.replicas) problems.push(`${metadata.name}: ${own.length} machines of ${spec.replicas}`);
      if (status?.readyReplicas !== spec.replicas)
        problems.push(`${metadata.name}: reports ${status?.readyReplicas} of ${spec.replicas}`);
    }
    for (const [key, replicas] of this.#expectedReplicas) {
      const pool = inventory.pools.find(({ metadata }) => metadata.name === key);
      if (pool?.spec.replicas !== replicas)
        problems.push(`${key}: was promised ${replicas}, has ${pool?.spec.replicas}`);
    }
    return [...problems, ...leakReports(this.#originalContents, cloudContents(this.#cloud), inventory)];
  }

  /**
   * Runs one action that makes sense now. If Fairway is killed during the action, it is unknown whether the action took
   * effect.
   */
  async #act(client: KubeClient): Promise<void> {
    try {
      await this.#choose(client, await inventoryOf(client));
    } catch (error) {
      // Fairway was killed, or the action lost a race: an existing object is deleted or being deleted.
      if (!(error instanceof TransportError) && !isApiError(error)) throw error;
      this.actions.push(`… ${error.message.slice(0, 80)}`);
    }
  }

  async #choose(client: KubeClient, inventory: Inventory): Promise<void> {
    const clusterName = this.#pick(CLUSTERS) ?? '';
    const cluster = inventory.clusters.find(({ metadata }) => metadata.name === clusterName);
    if (cluster === undefined) return this.#createCluster(client, clusterName);
    const pools = inventory.pools.filter(({ spec }) => spec.clusterName === clusterName);
    const pool = this.#pick(pools);
    const machine = this.#pick(inventory.machines.filter(({ spec }) => spec.clusterName === clusterName));
    const dice = this.#random();
    if (dice < 0.12) return this.#deleteCluster(client, cluster);
    if (dice < 0.3 && machine) {
      this.actions.push(`delete machine ${machine.metadata.name}`);
      return client.resource(machines).delete(machine.metadata.name ?? '', { namespace: NAMESPACE });
    }
    if (dice < 0.4 && pool) return this.#deletePool(client, pool);
    const missing = POOLS.map((name) => `${clusterName}-${name}`).find(
      (name) => !pools.some((p) => p.metadata.name === name),
    );
    // The pool's cluster may have been deleted by then. A pool is removed from the state before its cluster, because
    // the pool would wait forever for the next cluster of that name.
    if (cluster.metadata.deletionTimestamp !== undefined) return;
    if (missing !== undefined && (pool === undefined || dice < 0.6))
      return this.#createPool(client, clusterName, missing);
    if (pool) return this.#scale(client, pool);
  }

  async #createCluster(client: KubeClient, name: string): Promise<void> {
    this.actions.push(`create cluster ${name}`);
    const index = CLUSTERS.indexOf(name);
    await client.resource(clusters).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'Cluster',
      metadata: { name, namespace: NAMESPACE },
      spec: { network: { nodesCIDR: `10.${100 + index}.0.0/24` } },
    } as unknown as Cluster);
    await this.#createPool(client, name, `${name}-${POOLS[0]}`);
  }

  async #createPool(client: KubeClient, clusterName: string, name: string): Promise<void> {
    const replicas = this.#replicas();
    this.actions.push(`create pool ${name} of ${replicas}`);
    this.#expectedReplicas.delete(name);
    await client.resource(nodePools).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'NodePool',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        clusterName,
        flavor: 'b3-8',
        replicas,
        antiAffinity: this.#random() < 0.3,
        floatingIPs: { enabled: this.#random() < 0.3 },
        ...(this.#random() < 0.3 && { networks: [{ networkID: this.#additionalNetworkID }] }),
      },
    } as unknown as NodePool);
    this.#expectedReplicas.set(name, replicas);
  }

  async #scale(client: KubeClient, pool: NodePool): Promise<void> {
    const { name = '' } = pool.metadata;
    const replicas = this.#replicas();
    this.actions.push(`scale ${name} from ${pool.spec.replicas} to ${replicas}`);
    this.#expectedReplicas.delete(name);
    const value = { metadata: { uid: pool.metadata.uid }, spec: { replicas } };
    await client.resource(nodePools).patch(name, { type: 'merge', value }, { namespace: NAMESPACE });
    if (pool.metadata.deletionTimestamp === undefined) this.#expectedReplicas.set(name, replicas);
  }

  async #deletePool(client: KubeClient, { metadata: { name = '' } }: NodePool): Promise<void> {
    this.actions.push(`delete pool ${name}`);
    this.#expectedReplicas.delete(name);
    await client.resource(nodePools).delete(name, { namespace: NAMESPACE });
    this.#expectedReplicas.set(name, undefined);
  }

  async #deleteCluster(client: KubeClient, { metadata: { name = '' } }: Cluster): Promise<void> {
    this.actions.push(`delete cluster ${name}`);
    this.#forget(name);
    await client.resource(clusters).delete(name, { namespace: NAMESPACE });
    for (const pool of POOLS) this.#expectedReplicas.set(`${name}-${pool}`, undefined);
  }

  #forget(clusterName: string): void {
    for (const pool of POOLS) this.#expectedReplicas.delete(`${clusterName}-${pool}`);
  }

  #replicas(): number {
    return Math.floor(this.#random() * (MAX_REPLICAS + 1));
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

async function inventoryOf(client: KubeClient): Promise<Inventory> {
  const options = { namespace: NAMESPACE };
  const [clusterList, poolList, machineList] = await Promise.all([
    client.resource(clusters).list(options),
    client.resource(nodePools).list(options),
    client.resource(machines).list(options),
  ]);
  return { clusters: clusterList.items, pools: poolList.items, machines: machineList.items };
}

function describeObject({ kind, metadata, status }: Inventory[keyof Inventory][number]): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const deletionNote = metadata.deletionTimestamp === undefined ? '' : ' (being deleted)';
  return `${kind} ${metadata.name}${deletionNote}: ${ready?.status} ${ready?.reason} ${ready?.message}`;
}

/** Creates a network in the project that pools can use. */
async function makeNetwork(cloudsYaml: string, cloudOptions: Parameters<typeof openCloud>[2]): Promise<string> {
  const project = openCloud(readCloudsYaml(cloudsYaml), 'simulator', cloudOptions);
  try {
    const { network } = project.client();
    const { id } = await network.networks.create({ name: 'data' });
    await network.subnets.create({ name: 'data', network_id: id, ip_version: 4, cidr: '172.30.0.0/16' });
    return id;
  } finally {
    await project.close();
  }
}
