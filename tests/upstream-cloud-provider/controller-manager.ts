import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestCluster } from '@fairway/hollow/testing/test-cluster';
import { Nodes } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import type { CallCount } from '@fairway/simulator/http/calls';
import { serve } from './served-cluster.ts';
import { type Delays, openSimulatedCloud, PASSWORD, type SimulatedCloud } from './simulated-cloud.ts';

const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

/** A binary that acts as a cluster's cloud provider. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly flags: readonly string[];
  readonly userAgent: string;
}

/** Settings that both cloud providers share. */
const FLAGS = ['--cluster-name=peer', '--leader-elect=false', '--cloud-provider=openstack'];

export function upstreamManager(command: string): Program {
  const controllers = '--controllers=cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller';
  return {
    name: 'cloud-provider-openstack',
    command,
    flags: [...FLAGS, controllers, '--secure-port=0', '--v=2'],
    userAgent: 'openstack-cloud-controller-manager',
  };
}

const FAIRWAY = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;

export function fairwayManager(): Program {
  return {
    name: 'fairway cloud-provider',
    command: process.execPath,
    flags: [FAIRWAY, 'cloud-provider', ...FLAGS],
    userAgent: 'fairway-cloud-provider',
  };
}

/** A cloud provider as a separate process, for a cluster with manually created nodes. */
export class ControllerManager {
  readonly #program: Program;
  readonly #simulated: SimulatedCloud;
  readonly #cluster: TestCluster;
  readonly #networkID: string;
  #nodes = 0;
  #process: ChildProcess | undefined;

  private constructor(program: Program, simulated: SimulatedCloud, cluster: TestCluster, networkID: string) {
    this.#program = program;
    this.#simulated = simulated;
    this.#cluster = cluster;
    this.#networkID = networkID;
  }

  static async start(program: Program, delays: Delays, nodes: number): Promise<ControllerManager> {
    const simulated = await openSimulatedCloud(delays);
    const { member, folder } = simulated;
    const external = await externalNetworkOf(member);
    const network = await member.network.networks.create({ name: 'nodes' });
    const subnet = await member.network.subnets.create({
      name: 'nodes',
      network_id: network.id,
      ip_version: 4,
      cidr: '10.9.0.0/24',
    });
    const router = await member.network.routers.create({ name: 'r', external_gateway_info: { network_id: external } });
    await member.network.routers.addInterface(router.id, { subnet_id: subnet.id });
    const cluster = await TestCluster.start({ realTime: true, nodes: [] });
    await writeFile(join(folder, 'kubeconfig'), await serve(cluster));
    await writeFile(join(folder, 'cloud.conf'), cloudConf(simulated, { subnet: subnet.id, external }));
    const manager = new ControllerManager(program, simulated, cluster, network.id);
    manager.#run();
    for (let i = 0; i < nodes; i++) await manager.addNode();
    return manager;
  }

  get name() {
    return this.#program.name;
  }

  get cloud() {
    return this.#simulated.cloud;
  }

  /** A client that acts as the project's member. */
  get member() {
    return this.#simulated.member;
  }

  get api() {
    return this.#cluster.client;
  }

  isOwn({ userAgent }: CallCount): boolean {
    return userAgent.startsWith(this.#program.userAgent);
  }

  memory(): number {
    const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(this.#process?.pid)], { encoding: 'utf8' });
    return Number(rss) * 1024;
  }

  async addNode(): Promise<void> {
    const name = `node-${++this.#nodes}`;
    const { compute, images } = this.#simulated.member;
    const [flavors, bootable] = await Promise.all([
      Array.fromAsync(compute.flavors.list()),
      Array.fromAsync(images.list()),
    ]);
    await compute.servers.create({
      name,
      flavorRef: flavors.find((each) => each.name === 'b3-8')?.id ?? '',
      imageRef: bootable[0]?.id ?? '',
      networks: [{ uuid: this.#networkID }],
    });
    const spec = { taints: [UNINITIALIZED] };
    const nodes = this.api.resource(Nodes);
    await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
    // The server of a node that is not Ready is looked up every 5 s.
    const value = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    await nodes.patch(name, { type: 'strategic', value }, { subresource: 'status' });
    await eventually(
      this.api.resource(Nodes),
      {},
      (all) =>
        all.filter(({ status }) => status?.addresses?.some(({ type }) => type === 'InternalIP') ?? false).length ===
        this.#nodes,
    );
  }

  async restart(): Promise<void> {
    await this.#stop();
    this.#run();
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.#cluster[Symbol.asyncDispose]();
    await this.#simulated.close();
  }

  #run(): void {
    const { folder } = this.#simulated;
    const log = openSync(join(folder, 'log'), 'a');
    const { command, flags } = this.#program;
    const files = [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cloud-config=${join(folder, 'cloud.conf')}`];
    this.#process = spawn(command, [...flags, ...files], { stdio: ['ignore', log, log] });
  }

  /** Kills and restarts the process. */
  async crash(): Promise<void> {
    await this.#stop('SIGKILL');
    this.#run();
  }

  async #stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }
}

async function externalNetworkOf({ network }: SimulatedCloud['member']): Promise<string> {
  for await (const { id } of network.networks.list({ 'router:external': true })) return id;
  throw new Error('the simulated cloud has no external network');
}

function cloudConf({ origin }: SimulatedCloud, { subnet, external }: { subnet: string; external: string }): string {
  return `[Global]
auth-url=${origin}/identity/v3
username=demo
password=${PASSWORD}
tenant-name=demo
domain-name=Default
region=RegionOne
[LoadBalancer]
subnet-id=${subnet}
floating-network-id=${external}
`;
}
