import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type CloudCredential, cloudCredentials, type NewCloudCredential } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { ApplicationCredential, Trust } from '@fairway/openstack/types/identity';
import { expect } from 'vitest';
import { type FairwayOnCloud, startFairwayOn } from '../main-job/fairway-on-cloud.ts';
import type { JobCloud, JobTarget } from '../main-job/job-clouds.ts';
import { type ResourceIds, resourceIds } from '../main-job/resource-ids.ts';

/** How often each credential is checked with Keystone; with the default of a minute, the tests would mostly wait. */
const CREDENTIAL_CHECK_MS = 1_000;
export const LONG_WAIT = { deadlineMs: 400_000 };
/** For Fairway's own messages, which do not depend on a cloud. */

/** A tenant with a namespace and a project, and a Fairway whose own login has no role there. */
export class TenantOnCloud {
  readonly namespace = 'team';
  readonly cloud: JobCloud;
  readonly fairway: FairwayOnCloud;
  /** The project's contents when Fairway started. */
  readonly before: ResourceIds;
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  #names = 0;

  private constructor(cloud: JobCloud, fairway: FairwayOnCloud, before: ResourceIds) {
    this.cloud = cloud;
    this.fairway = fairway;
    this.before = before;
  }

  static async open(target: JobTarget): Promise<TenantOnCloud> {
    const cloud = await target.open();
    const swappedCloud = { ...cloud, member: cloud.other, other: cloud.member };
    const fairway = await startFairwayOn(swappedCloud, { credentialCheckMs: CREDENTIAL_CHECK_MS, settleMs: 1_000 });
    const opened = new TenantOnCloud(cloud, fairway, await resourceIds(fairway.other));
    const annotations = { 'fairway.dev/project-id': await opened.client.session.projectId() };
    const metadata = { name: opened.namespace, annotations };
    await fairway.api.resource(Namespaces).create({ metadata, spec: {} });
    return opened;
  }

  /** Leaves the project as it was, even after a failure. */
  async close(): Promise<void> {
    const { api } = this.fairway;
    const { namespace } = this;
    await api.resource(clusters).deleteCollection({ namespace });
    await eventually(api.resource(clusters), { namespace }, (all) => all.length === 0, LONG_WAIT);
    for (const cleanup of this.#cleanups.reverse()) await cleanup().catch(() => undefined);
    await this.fairway.close();
    await this.cloud.close();
  }

  /** A cloud client with the tenant's login. The tenant and the member of the other project are swapped here. */
  get client(): OpenStackClient {
    return this.fairway.other;
  }

  /** A cloud client with Fairway's own login. */
  get fairwayClient(): OpenStackClient {
    return this.fairway.member;
  }

  nextName(stem: string): string {
    this.#names += 1;
    return `${stem}-${this.#names}`;
  }

  async applicationCredential(
    role: string,
    { user = this.client, expiresAt }: { readonly user?: OpenStackClient; readonly expiresAt?: string } = {},
  ): Promise<ApplicationCredential> {
    const created = await user.identity.createApplicationCredential({
      name: this.nextName(`fairway-test-${process.pid}`),
      roles: [{ name: role }],
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    });
    this.#cleanups.push(() => user.identity.deleteApplicationCredential(created.id));
    return created;
  }

  /** Creates a trust from the tenant to Fairway's own login. */
  async trust(impersonation = true): Promise<Trust> {
    const { identity, session } = this.client;
    const { token } = await this.fairwayClient.session.token();
    const created = await identity.createTrust({
      trustee_user_id: token.user.id,
      project_id: await session.projectId(),
      impersonation,
      roles: [{ name: 'member' }],
    });
    this.#cleanups.push(() => identity.deleteTrust(created.id));
    return created;
  }

  async remainingTrusts(): Promise<readonly string[]> {
    return (await this.client.identity.trustsGiven()).map(({ id }) => id);
  }

  /** Whether the login in a Secret with these keys still exists in Keystone. */
  async existsInKeystone(keys: Record<string, string>): Promise<boolean> {
    const created = await this.client.identity.applicationCredentials();
    const ids = [...created.map(({ id }) => id), ...(await this.remainingTrusts())];
    return ids.some((id) => id === keys['application_credential_id'] || id === keys['trust_id']);
  }

  /** Creates the Secret and the CloudCredential, with the same name. */
  async createCredential(
    name: string,
    stringData: Record<string, string>,
    { namespace = this.namespace, ...spec }: Partial<NewCloudCredential['spec']> & { readonly namespace?: string } = {},
  ): Promise<void> {
    await this.fairway.api.resource(Secrets).create({ metadata: { name, namespace }, stringData });
    const credential: NewCloudCredential = {
      metadata: { name, namespace },
      spec: { cloud: this.cloud.other, secretRef: { name }, ...spec },
    };
    await this.fairway.api.resource(cloudCredentials).create(credential as CloudCredential);
  }

  replaceSecret(name: string, stringData: Record<string, string>): Promise<unknown> {
    const { namespace } = this;
    return this.fairway.api.resource(Secrets).patch(name, { type: 'merge', value: { stringData } }, { namespace });
  }

  /** Resolves with the credential as soon as `check` accepts it. */
  waitForCredential(
    name: string,
    check: (credential: CloudCredential) => boolean,
    namespace = this.namespace,
  ): Promise<CloudCredential> {
    return eventuallyObject(this.fairway.api.resource(cloudCredentials), { namespace, name }, check, LONG_WAIT);
  }

  waitForCredentialCondition(name: string, status: 'True' | 'False', reason: string, namespace = this.namespace) {
    const check = (credential: CloudCredential) => {
      expect(readyOf(credential)).toMatchObject({ status, reason });
      return true;
    };
    return this.waitForCredential(name, check, namespace);
  }

  deleteCredential(name: string): Promise<void> {
    return this.fairway.api.resource(cloudCredentials).delete(name, { namespace: this.namespace });
  }

  waitForCredentialDeletion(name: string): Promise<void> {
    const { namespace } = this;
    return eventuallyDeleted(this.fairway.api.resource(cloudCredentials), { namespace, name }, LONG_WAIT);
  }

  /** Fairway's Events about a credential, as shown by `kubectl describe`. */
  async eventOf(name: string, reason: string): Promise<string> {
    const fieldSelector = `reason=${reason},involvedObject.name=${name}`;
    const selection = { namespace: this.namespace, fieldSelector };
    const events = this.fairway.api.resource(Events);
    const [event] = await eventually(events, selection, (all) => all.length > 0);
    return event?.message ?? '';
  }

  /** Creates a cluster, by default with a single-node pool; a cluster without a pool puts little load on a cloud. */
  async createCluster(name: string, credentialName: string, { hasNodes = true } = {}): Promise<void> {
    const { api } = this.fairway;
    const metadata = { name, namespace: this.namespace };
    const cluster: NewCluster = { metadata, spec: { credentialName } };
    const pool: NewNodePool = { metadata, spec: { clusterName: name, flavor: this.cloud.flavor } };
    await api.resource(clusters).create(cluster as Cluster);
    if (hasNodes) await api.resource(nodePools).create(pool as NodePool);
  }

  waitForClusterCondition(name: string, status: 'True' | 'False', reason: string): Promise<Cluster> {
    const check = (cluster: Cluster) => {
      expect(readyOf(cluster)).toMatchObject({ status, reason });
      return true;
    };
    return eventuallyObject(this.fairway.api.resource(clusters), { namespace: this.namespace, name }, check, LONG_WAIT);
  }

  /** Deletes a cluster that is paused, so Fairway ignores it until `resumeCluster`. */
  async deletePausedCluster(name: string): Promise<void> {
    const { namespace } = this;
    const resource = this.fairway.api.resource(clusters);
    const value = { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } };
    await resource.patch(name, { type: 'merge', value }, { namespace });
    await resource.delete(name, { namespace });
  }

  async resumeCluster(name: string): Promise<void> {
    const value = { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } };
    const { namespace } = this;
    await this.fairway.api.resource(clusters).patch(name, { type: 'merge', value }, { namespace });
  }

  async deleteCluster(name: string): Promise<void> {
    const { namespace } = this;
    await this.fairway.api.resource(clusters).delete(name, { namespace });
    await eventuallyDeleted(this.fairway.api.resource(clusters), { namespace, name }, LONG_WAIT);
  }
}

/** The contents of an application credential's Secret. */
export function keysOf({ id, secret = '' }: ApplicationCredential): Record<string, string> {
  return { application_credential_id: id, application_credential_secret: secret };
}

function readyOf({ status }: CloudCredential | Cluster) {
  return findCondition(status?.conditions, 'Ready');
}

export function messageOf(object: CloudCredential | Cluster): string {
  return readyOf(object)?.message ?? '';
}
