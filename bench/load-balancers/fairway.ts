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
import { eventually } from '@fairway/kube/testing/eventually';
import type { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import type { CallCount } from '@fairway/simulator/http/calls';
import { clientOf } from '../../tests/session/client-of.ts';
import { tenantOf } from '../../tests/session/tenant-of.ts';
import {
  type Delays,
  openSimulatedCloud,
  type SimulatedCloud,
} from '../../tests/upstream-cloud-provider/simulated-cloud.ts';
import { NODES, type Subject } from './subject.ts';

const namespace = 'default';
const name = 'bench';
const WAIT_OPTIONS = { deadlineMs: 300_000 };
const SHARED_OPTIONS = { clock: systemClock, random: Math.random, log: silentLogger };

/** A Fairway in this process, with one cluster. */
export class FairwaySubject implements Subject {
  readonly name = 'Fairway';
  readonly #simulated: SimulatedCloud;
  readonly #projectID: string;
  readonly #administrator: CloudConnection;
  readonly #fleet: HollowNodeFleet;
  #fairway!: Awaited<ReturnType<typeof up>>;
  #fairwayClient!: KubeClient;
  #tenant!: KubeClient;
  #nodes = NODES;

  private constructor(simulated: SimulatedCloud, projectID: string) {
    this.#simulated = simulated;
    this.#projectID = projectID;
    this.#administrator = openCloud(readCloudsYaml(simulated.cloudsYaml), 'simulator-admin', SHARED_OPTIONS);
    const cloud = openStackFleetCloud(this.#administrator.client());
    // Short, because the cloud does not send notifications about new servers.
    this.#fleet = new HollowNodeFleet({ cloud, disks: new MemoryDisks(), ...SHARED_OPTIONS, idlePeriodMs: 500 });
  }

  static async start(pace: Delays): Promise<FairwaySubject> {
    const simulated = await openSimulatedCloud(pace);
    const subject = new FairwaySubject(simulated, await simulated.member.session.projectId());
    await subject.#run();
    subject.#fleet.start();
    const pool = { clusterName: name, flavor: 'b3-8', replicas: NODES };
    await subject.#fairwayClient.resource(clusters).create({ metadata: { name, namespace }, spec: {} } as Cluster);
    await subject.#fairwayClient.resource(nodePools).create({ metadata: { name, namespace }, spec: pool } as NodePool);
    await subject.#waitUntilReady();
    subject.#tenant = await subject.#connect();
    return subject;
  }

  get cloud() {
    return this.#simulated.cloud;
  }

  get api() {
    return this.#tenant;
  }

  isOwn({ projectId }: CallCount): boolean {
    return projectId === this.#projectID;
  }

  memory(): undefined {
    return undefined;
  }

  async addNode(): Promise<void> {
    this.#nodes++;
    const value = { spec: { replicas: this.#nodes } };
    await this.#fairwayClient.resource(nodePools).patch(name, { type: 'merge', value }, { namespace });
    await this.#waitUntilReady();
  }

  async restart(): Promise<void> {
    await this.#end();
    await this.#run();
    await this.#waitUntilReady();
    this.#tenant = await this.#connect();
  }

  async close(): Promise<void> {
    await this.#fleet.stop();
    await this.#end();
    await this.#administrator.close();
    await this.#simulated.close();
  }

  async #run(): Promise<void> {
    const { folder, cloudsYaml } = this.#simulated;
    // Sets the file as an operator would.
    process.env['OS_CLIENT_CONFIG_FILE'] = cloudsYaml;
    const home = new Home(join(folder, 'home'));
    const options = { host: '127.0.0.1', port: 0, cloud: 'simulator', latency: 'none', version: '0.0.0' } as const;
    this.#fairway = await up({ home, ...options, defaultImage: 'Ubuntu 22.04', ...SHARED_OPTIONS });
    this.#fairwayClient = await clientOf(home.kubeconfig);
  }

  async #end(): Promise<void> {
    this.#tenant.close();
    this.#fairwayClient.close();
    await this.#fairway.stop();
  }

  async #waitUntilReady(): Promise<void> {
    await eventually(
      this.#fairwayClient.resource(machines),
      { namespace },
      (all) => all.length === this.#nodes && all.every(({ status }) => status?.phase === 'Ready'),
      WAIT_OPTIONS,
    );
  }

  #connect(): Promise<KubeClient> {
    return tenantOf(this.#fairwayClient, name, join(this.#simulated.folder, 'tenant.kubeconfig'));
  }
}
