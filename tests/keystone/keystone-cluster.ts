import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
} from '@fairway/api/kinds/kubeconfig-request';
import { DEFAULT_USERS } from '@fairway/control-plane/process/cluster-users';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { processControlPlanes } from '@fairway/service/up/control-planes';
import { Kubectl } from '../clients/kubectl.ts';
import type { JobCloud } from '../main-job/job-clouds.ts';
import { testReleases } from '../process-runtime/releases.ts';
import { type FairwayWithKeystone, startFairwayWithKeystone } from './fairway-with-keystone.ts';

const { offered } = await testReleases();
const NAMESPACE = 'default';

/** A tenant's cluster without nodes, in a Fairway with Keystone authentication. */
export class KeystoneCluster {
  readonly fairway: FairwayWithKeystone;
  readonly #folder: string;
  readonly #name: string;
  #kubectls = 0;

  private constructor(fairway: FairwayWithKeystone, folder: string, name: string) {
    this.fairway = fairway;
    this.#folder = folder;
    this.#name = name;
  }

  static async start(job: JobCloud, controlPlane: 'simulated' | 'process', name: string): Promise<KeystoneCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-keystone-cluster-'));
    const processes = processControlPlanes({
      env: { ...process.env, KUBEBUILDER_ASSETS: offered?.folder ?? '' },
      address: '127.0.0.1',
      snapshotFolder: join(folder, 'snapshots'),
      keepRunning: false,
      users: DEFAULT_USERS,
      egress: { allowed: [], denied: [] },
      alwaysAllowed: [],
      offHost: undefined,
    });
    const fairway = await startFairwayWithKeystone(job, controlPlane === 'process' ? { controlPlanes: processes } : {});
    const spec = { plan: 'free', ...(controlPlane === 'process' && { version: offered?.version ?? '' }) };
    await fairway.api.resource<NewCluster>(clusters).create({
      apiVersion: API_VERSION,
      kind: 'Cluster',
      metadata: { namespace: NAMESPACE, name },
      spec: { ...spec, apiServer: { keystone: {} } },
    });
    const cluster = new KeystoneCluster(fairway, folder, name);
    await cluster.waitUntil(({ status }) => status?.keystone !== undefined);
    return cluster;
  }

  /** Sets who has access (null: nobody); resolves when it is in effect. */
  async setKeystone(keystone: NonNullable<Cluster['spec']['apiServer']['keystone']> | null): Promise<void> {
    const path = '/spec/apiServer/keystone';
    // Replaces the whole value, because a merge would keep the earlier roles.
    const value = [keystone === null ? { op: 'remove', path } : { op: 'add', path, value: keystone }];
    const { metadata } = await this.fairway.api
      .resource(clusters)
      .patch(this.#name, { type: 'json', value }, { namespace: NAMESPACE });
    await this.waitUntil(
      ({ status }) =>
        (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
        isConditionTrue(status?.conditions, 'ControlPlaneReady') &&
        (status?.keystone === undefined) === (keystone === null) &&
        (keystone?.projects === undefined || status?.keystone?.projects.join() === keystone.projects.join()),
    );
  }

  waitUntil(predicate: (cluster: Cluster) => boolean): Promise<Cluster> {
    return eventuallyObject(this.fairway.api.resource(clusters), { namespace: NAMESPACE, name: this.#name }, predicate);
  }

  /** kubectl with the cluster's API and a bearer token. */
  async by(token: string): Promise<Kubectl> {
    const { status } = await this.waitUntil(() => true);
    const file = join(this.#folder, `${this.#kubectls++}.kubeconfig`);
    const { url: server = '', caCertificate: certificateAuthority = '' } = status ?? {};
    await writeFile(file, renderKubeconfig({ name: 'demo', userName: 'demo', server, certificateAuthority, token }));
    return new Kubectl(file);
  }

  /** kubectl with the cluster's API and a certificate. */
  async admin(): Promise<Kubectl> {
    const request = { apiVersion: API_VERSION, kind: KUBECONFIG_REQUEST_KIND.kind, metadata: {}, spec: {} };
    const { status } = await this.fairway.api
      .resource(clusters)
      .createSubresource(this.#name, KUBECONFIG_SUBRESOURCE, request as KubeconfigRequest, { namespace: NAMESPACE });
    const file = join(this.#folder, `${this.#kubectls++}.kubeconfig`);
    await writeFile(file, status?.kubeconfig ?? '');
    return new Kubectl(file);
  }

  async close(): Promise<void> {
    const all = this.fairway.api.resource(clusters);
    await all.delete(this.#name, { namespace: NAMESPACE });
    await eventuallyDeleted(all, { namespace: NAMESPACE, name: this.#name });
    await this.fairway.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
