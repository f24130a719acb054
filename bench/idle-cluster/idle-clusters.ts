import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
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
import { PersistentVolumeClaims, Services, StorageClasses } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import type { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { clientOf } from '../../tests/session/client-of.ts';
import { tenantOf } from '../../tests/session/tenant-of.ts';
import { openSimulatedCloud, type SimulatedCloud } from '../../tests/upstream-cloud-provider/simulated-cloud.ts';
import { raiseQuotas } from '../load-balancers/many-clusters.ts';
import { FAST_PACE } from '../load-balancers/subject.ts';
import { fairwayEnv, fairwayFlags } from '../server-process.ts';
import type { HeapMessage } from './fairway-process.ts';

const namespace = 'default';
const WAIT_OPTIONS = { deadlineMs: 600_000 };
const SHARED_OPTIONS = { clock: systemClock, random: Math.random, log: silentLogger };

/** What each cluster contains. */
export interface ClusterContents {
  readonly nodes: number;
  readonly claims: number;
}

/** A Fairway in a separate process, with control planes in other processes. Cloud and nodes run in this process. */
export class IdleClusters implements AsyncDisposable {
  readonly #simulated: SimulatedCloud;
  readonly #administrator: CloudConnection;
  readonly #fleet: HollowNodeFleet;
  readonly #child: ChildProcess;
  readonly #fairwayClient: KubeClient;
  readonly #names: string[] = [];

  private constructor(simulated: SimulatedCloud, child: ChildProcess, own: KubeClient) {
    this.#simulated = simulated;
    this.#child = child;
    this.#fairwayClient = own;
    this.#administrator = openCloud(readCloudsYaml(simulated.cloudsYaml), 'simulator-admin', SHARED_OPTIONS);
    const cloud = openStackFleetCloud(this.#administrator.client());
    this.#fleet = new HollowNodeFleet({ cloud, disks: new MemoryDisks(), ...SHARED_OPTIONS, idlePeriodMs: 500 });
    this.#fleet.start();
  }

  static async start(): Promise<IdleClusters> {
    const simulated = await openSimulatedCloud(FAST_PACE);
    const projectID = await simulated.member.session.projectId();
    raiseQuotas(simulated, projectID);
    simulated.cloud.setQuota(projectID, { instances: 10_000, cores: 100_000, ram: 100_000_000 });
    simulated.cloud.setQuota(projectID, { volumes: 10_000, gigabytes: 100_000 }, 'block-storage');
    const home = new Home(join(simulated.folder, 'home'));
    home.create();
    const script = join(import.meta.dirname, 'fairway-process.ts');
    const child = fork(script, [home.path], {
      execArgv: ['--expose-gc', ...fairwayFlags()],
      env: { ...fairwayEnv(), OS_CLIENT_CONFIG_FILE: simulated.cloudsYaml },
    });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error('fairway ended')));
    await Promise.race([once(child, 'message'), failed]);
    failed.catch(() => {});
    return new IdleClusters(simulated, child, await clientOf(home.kubeconfig));
  }

  /** Bytes in and outside the heap of Fairway's process after a full garbage collection. */
  async heapBytes(): Promise<number> {
    this.#child.send('heap');
    const [message] = (await once(this.#child, 'message')) as [HeapMessage];
    return message.type === 'heap' ? message.bytes : Number.NaN;
  }

  /** Creates a cluster with its nodes, a load balancer and claims; resolves when all of them exist. */
  async createCluster({ nodes, claims }: ClusterContents): Promise<void> {
    const name = `idle-${this.#names.length}`;
    this.#names.push(name);
    const spec = { plan: 'standard', cni: { type: 'none' } };
    const pool = { clusterName: name, flavor: 'b3-8', replicas: nodes };
    await this.#fairwayClient.resource(clusters).create({ metadata: { name, namespace }, spec } as Cluster);
    await this.#fairwayClient.resource(nodePools).create({ metadata: { name, namespace }, spec: pool } as NodePool);
    await eventually(
      this.#fairwayClient.resource(machines),
      { namespace },
      (all) => {
        const own = all.filter(({ spec: { clusterName } }) => clusterName === name);
        return own.length === nodes && own.every(({ status }) => status?.phase === 'Ready');
      },
      WAIT_OPTIONS,
    );
    const tenant = await tenantOf(this.#fairwayClient, name, join(this.#simulated.folder, `${name}.kubeconfig`));
    try {
      await createContents(tenant, claims);
    } finally {
      tenant.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Otherwise their control planes would outlive Fairway.
    await Promise.all(this.#names.map((name) => this.#fairwayClient.resource(clusters).delete(name, { namespace })));
    for (const name of this.#names)
      await eventuallyDeleted(this.#fairwayClient.resource(clusters), { namespace, name }, WAIT_OPTIONS);
    this.#fairwayClient.close();
    await this.#fleet.stop();
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
    await this.#administrator.close();
    await this.#simulated.close();
  }
}

async function createContents(tenant: KubeClient, claims: number): Promise<void> {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  const service = { type: 'LoadBalancer', selector: { app: 'web' }, ports };
  await tenant.resource(Services).create({ metadata: { name: 'web', namespace }, spec: service });
  await tenant
    .resource(StorageClasses)
    .create({ metadata: { name: 'at-once' }, provisioner: 'cinder.csi.openstack.org', volumeBindingMode: 'Immediate' });
  for (let index = 0; index < claims; index++) {
    await tenant.resource(PersistentVolumeClaims).create({
      metadata: { name: `data-${index}`, namespace },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'at-once',
        resources: { requests: { storage: '1Gi' } },
      },
    });
  }
  await eventually(
    tenant.resource(Services),
    { namespace },
    (all) => all.some(({ status }) => (status?.loadBalancer?.ingress?.length ?? 0) > 0),
    WAIT_OPTIONS,
  );
  await eventually(
    tenant.resource(PersistentVolumeClaims),
    { namespace },
    (all) => all.length === claims && all.every(({ status }) => status?.phase === 'Bound'),
    WAIT_OPTIONS,
  );
}
