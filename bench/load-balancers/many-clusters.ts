import { readFileSync } from 'node:fs';
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
import { Services } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { eventually } from '@fairway/kube/testing/eventually';
import type { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { clientOf } from '../../tests/session/client-of.ts';
import { RunningFairway } from '../../tests/session/running-fairway.ts';
import { tenantOf } from '../../tests/session/tenant-of.ts';
import {
  type Delays,
  openSimulatedCloud,
  type SimulatedCloud,
} from '../../tests/upstream-cloud-provider/simulated-cloud.ts';
import { type Usage, usageOf } from '../process-usage.ts';

const namespace = 'default';
const CREATE_CONCURRENCY = 5;
const WAIT_OPTIONS = { deadlineMs: 1_800_000 };
const SHARED_OPTIONS = { clock: systemClock, random: Math.random, log: silentLogger };
/** Quotas of the project that contains all clusters. */
const QUOTAS = { loadbalancer: 10_000, floatingip: 10_000, port: 50_000, router: 1_000, network: 1_000, subnet: 1_000 };
const SECURITY_QUOTAS = { security_group: 10_000, security_group_rule: 100_000 };

/**
 * A Fairway in a separate process. Its clusters have one node each, in one project of a simulated cloud in this
 * process.
 */
export class ManyClusters implements AsyncDisposable {
  readonly tenants: KubeClient[] = [];
  readonly #simulated: SimulatedCloud;
  readonly #administrator: CloudConnection;
  readonly #fleet: HollowNodeFleet;
  readonly #fairway: RunningFairway;
  readonly #fairwayClient: KubeClient;
  readonly #projectID: string;

  private constructor(simulated: SimulatedCloud, fairway: RunningFairway, own: KubeClient, projectID: string) {
    this.#simulated = simulated;
    this.#fairway = fairway;
    this.#fairwayClient = own;
    this.#projectID = projectID;
    this.#administrator = openCloud(readCloudsYaml(simulated.cloudsYaml), 'simulator-admin', SHARED_OPTIONS);
    const cloud = openStackFleetCloud(this.#administrator.client());
    this.#fleet = new HollowNodeFleet({ cloud, disks: new MemoryDisks(), ...SHARED_OPTIONS, idlePeriodMs: 500 });
    this.#fleet.start();
  }

  static async start(pace: Delays): Promise<ManyClusters> {
    const simulated = await openSimulatedCloud(pace);
    const projectID = await simulated.member.session.projectId();
    raiseQuotas(simulated, projectID);
    process.env['OS_CLIENT_CONFIG_FILE'] = simulated.cloudsYaml;
    const home = join(simulated.folder, 'home');
    const options = ['--cloud', 'simulator', '--listen', '127.0.0.1:0', '--default-image', 'Ubuntu 22.04'];
    const fairway = await RunningFairway.start(home, ...options);
    return new ManyClusters(simulated, fairway, await clientOf(fairway.kubeconfig), projectID);
  }

  /** Requests that the project has sent so far. */
  get calls(): number {
    const own = this.#simulated.cloud.calls.counts().filter(({ projectId }) => projectId === this.#projectID);
    return own.reduce((sum, { count }) => sum + count, 0);
  }

  /** Usage of Fairway's process: its API, its controllers and the clusters' control planes. */
  get usage(): Usage {
    return usageOf([Number.parseInt(readFileSync(join(this.#fairway.home, 'lock'), 'utf8'), 10)]);
  }

  /** Creates clusters and waits until the node of each is Ready. */
  async createClusters(count: number): Promise<void> {
    let next = 0;
    const lane = async () => {
      while (next < count) this.tenants.push(await this.#createCluster(`many-${next++}`));
    };
    await Promise.all(Array.from({ length: CREATE_CONCURRENCY }, lane));
  }

  async #createCluster(name: string): Promise<KubeClient> {
    const spec = { plan: 'standard', cni: { type: 'none' } };
    const pool = { clusterName: name, flavor: 'b3-8', replicas: 1 };
    await createWithRetry(() =>
      this.#fairwayClient.resource(clusters).create({ metadata: { name, namespace }, spec } as Cluster),
    );
    await createWithRetry(() =>
      this.#fairwayClient.resource(nodePools).create({ metadata: { name, namespace }, spec: pool } as NodePool),
    );
    await eventually(
      this.#fairwayClient.resource(machines),
      { namespace },
      (all) => all.some(({ spec: { clusterName }, status }) => clusterName === name && status?.phase === 'Ready'),
      WAIT_OPTIONS,
    );
    return tenantOf(this.#fairwayClient, name, join(this.#simulated.folder, `${name}.kubeconfig`));
  }

  /** Creates this many Services in each cluster concurrently, and waits until all Services have an address. */
  async createServices(each: number): Promise<void> {
    await Promise.all(this.tenants.map((tenant) => createServices(tenant, each)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const tenant of this.tenants) tenant.close();
    this.#fairwayClient.close();
    await this.#fleet.stop();
    await this.#fairway.stop();
    await this.#administrator.close();
    await this.#simulated.close();
  }
}

export function raiseQuotas({ cloud }: SimulatedCloud, projectID: string): void {
  cloud.setQuota(projectID, QUOTAS);
  cloud.setQuota(projectID, SECURITY_QUOTAS, 'network');
}

/** Creates an object, and retries if the server had just closed the idle connection. */
async function createWithRetry(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    await create().catch((retryError: unknown) => {
      if (!isApiError(retryError, 'AlreadyExists')) throw retryError;
    });
  }
}

async function createServices(tenant: KubeClient, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `web-${index}`);
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  await Promise.all(
    names.map((name) =>
      createWithRetry(() =>
        tenant
          .resource(Services)
          .create({ metadata: { name, namespace }, spec: { type: 'LoadBalancer', selector: { app: name }, ports } }),
      ),
    ),
  );
  await eventually(
    tenant.resource(Services),
    { namespace },
    (all) => all.filter(({ status }) => (status?.loadBalancer?.ingress?.length ?? 0) > 0).length === count,
    WAIT_OPTIONS,
  );
}
