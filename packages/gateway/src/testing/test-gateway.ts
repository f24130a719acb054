import { API_VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { blindWriter } from '@fairway/api/testing/blind';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { LogLocation } from '@fairway/apiserver/audit/newest-lines';
import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Store } from '@fairway/apiserver/store/store';
import { silentLogger } from '@fairway/base/log';
import { FastClock } from '@fairway/base/testing/fast-clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { Namespaces, RoleBindings } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { ListCloudResources } from '../cloud-resources/cloud-resources-request.ts';
import { ClusterAuditReader } from '../cluster-audit/cluster-audit-reader.ts';
import { requestsCredentials } from '../requests/gateway-subresources.ts';
import type { GatewayOptions } from '../server/gateway.ts';
import type { PlanUpgrade } from '../upgrade-plan/upgrade-plan-request.ts';
import { embeddedForm } from './embedded-form.ts';
import type { GatewayForm } from './gateway-form.ts';
import { managementForm } from './management-form.ts';
import { type RawReply, rawReplyTo } from './raw-reply.ts';
import { simulatedClouds } from './simulated-clouds.ts';

/** Namespace with a cloud, where `alice` is a member and `rita` a reader. */
export const TEAM = 'team';
/** Namespace without a cloud; `alice` is a member here too. */
export const UNKNOWN_CLOUD_TEAM = 'cloudless';
/**
 * Speed of the shared clock relative to real time: delays of many seconds pass within a second, and responses that take
 * milliseconds are not late even on a busy machine.
 */
const CLOCK_FACTOR = 4;

/** The gateway's backend: the embedded server, or a management cluster's. */
export type Form = 'embedded' | 'management';
export const FORMS: readonly Form[] = ['embedded', 'management'];

export type Person = 'operator' | 'alice' | 'rita' | 'nobody';

const USERS: Record<Person, UserInfo> = {
  operator: { username: 'operator', groups: ['system:masters', 'system:authenticated'] },
  alice: { username: 'alice', groups: ['system:authenticated'] },
  rita: { username: 'rita', groups: ['system:authenticated'] },
  nobody: { username: 'nobody', groups: ['system:authenticated'] },
};

/** Fairway's API, over an in-memory store and a simulated cloud over HTTP; no controllers run. */
export class TestGateway {
  readonly clock: FastClock;
  readonly cloud: Cloud;
  readonly store: Store;
  readonly gateway: GatewayForm;
  /** URL of the gateway, not of the API server behind it. */
  readonly audit: RecordedAudit;
  readonly credentials: ClusterCredentials;
  readonly clouds: ConfiguredClouds;
  /** Upgrade plans from the controllers, which don't run here. */
  planUpgrade: PlanUpgrade | undefined;
  listCloudResources: ListCloudResources | undefined;
  /** Audit logs of clusters' API servers, by UID. */
  readonly auditLogs = new Map<string, LogLocation>();
  /** The number of lines that each read has skipped. */
  readonly skipped: number[] = [];
  readonly #form: Form;
  readonly #transports = new Map<string, Promise<Transport>>();
  readonly #stack: (() => Promise<void> | void)[];

  private constructor(
    parts: Pick<TestGateway, 'clock' | 'cloud' | 'clouds' | 'store' | 'gateway' | 'audit' | 'credentials'>,
    form: Form,
    closing: (() => Promise<void> | void)[],
  ) {
    this.clock = parts.clock;
    this.cloud = parts.cloud;
    this.store = parts.store;
    this.gateway = parts.gateway;
    this.audit = parts.audit;
    this.credentials = parts.credentials;
    this.clouds = parts.clouds;
    this.#form = form;
    this.#stack = closing;
  }

  /**
   * Starts with the API's initial objects, unless `store` already contains them. Requests time out `clockFactor` times
   * faster.
   */
  static async start(
    form: Form = 'embedded',
    store: Store = new MemoryStore(),
    clockFactor = CLOCK_FACTOR,
    {
      keystoneProblem,
      quotaDefaults,
      limits,
    }: Pick<GatewayOptions, 'keystoneProblem' | 'quotaDefaults' | 'limits'> = {},
  ): Promise<TestGateway> {
    const clock = new FastClock(clockFactor);
    const commonOptions = { clock, random: Math.random, log: silentLogger };
    const cloud = createCloud(commonOptions);
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    const closing: (() => Promise<void> | void)[] = [() => cloud.close()];
    const clouds = simulatedClouds({
      cloud,
      clock,
      nameOf: (namespace) =>
        gateway.server.reader.get(Namespaces, '', namespace)?.metadata.annotations?.['fairway.dev/cloud'],
      credentialOf: (namespace, name) => gateway.server.reader.get(cloudCredentials, namespace, name),
      closing,
    });
    const audit = new RecordedAudit(clock, requestsCredentials);
    const unenforcedFields = () =>
      Promise.resolve({ 'spec.apiServer.allowedCIDRs': 'it is not enforced here: leave it out' });
    const parts = {
      ...commonOptions,
      store,
      clouds,
      auditor: audit.auditor,
      auditEvents: audit,
      credentials: () => credentials,
      unenforcedFields,
      keystoneProblem,
      quotaDefaults,
      ...(limits && { limits }),
      upgradePlans: () => planned.by?.planUpgrade,
      cloudResources: () => planned.by?.listCloudResources,
      clusterAudit: new ClusterAuditReader(
        (uid) => Promise.resolve(planned.by?.auditLogs.get(uid)),
        { onSkipped: (lines) => planned.by?.skipped.push(lines) },
        clock,
      ),
    };
    const planned: { by?: TestGateway } = {};
    const gateway: GatewayForm = await (form === 'embedded' ? embeddedForm(parts) : managementForm(parts));
    closing.push(() => gateway.close());
    const credentials = new ClusterCredentials(gateway.client, clock);
    planned.by = new TestGateway({ clock, cloud, clouds, store, gateway, audit, credentials }, form, closing);
    return planned.by;
  }

  /** Creates the namespaces, and binds `alice` and `rita` to their roles. */
  async populate(): Promise<void> {
    await this.#namespace(TEAM, { 'fairway.dev/cloud': 'simulator' });
    await this.#namespace(UNKNOWN_CLOUD_TEAM, {});
    await this.#bind(TEAM, 'alice', 'fairway-member');
    await this.#bind(TEAM, 'rita', 'fairway-reader');
    await this.#bind(UNKNOWN_CLOUD_TEAM, 'alice', 'fairway-member');
  }

  /** Client of the gateway, except for an operator, who uses the API server directly. */
  as(person: Person | UserInfo): KubeClient {
    const user = typeof person === 'string' ? USERS[person] : person;
    return new KubeClient(this.#transportAs(user, person === 'operator'), { clock: this.clock });
  }

  /** Sends a request as a user; returns the response with its warnings, even if it is an error. */
  call(person: Person | UserInfo, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<RawReply> {
    return rawReplyTo(this.as(person), method, path, body);
  }

  /** Creates a cluster as `alice`. */
  createCluster(name: string, spec: Parameters<typeof aCluster>[0] = {}, namespace = TEAM): Promise<Cluster> {
    const { metadata, ...cluster } = aCluster(spec, { name, namespace });
    const object = { ...cluster, apiVersion: API_VERSION, kind: clusters.kind, metadata };
    return this.as('alice').resource(clusters).create(object);
  }

  createPool(name: string, spec: Parameters<typeof aNodePool>[0] = {}, namespace = TEAM): Promise<NodePool> {
    const { metadata, ...pool } = aNodePool(spec, { name, namespace });
    const object = { ...pool, apiVersion: API_VERSION, kind: nodePools.kind, metadata };
    return this.as('alice').resource(nodePools).create(object);
  }

  /** Sets a cluster's control plane endpoint, as its reconciler would. */
  async setEndpoint(name: string): Promise<void> {
    const value = { status: { endpoint: { host: '192.0.2.7', port: 6443 } } };
    await this.gateway.client
      .resource(clusters)
      .patch(name, { type: 'merge', value }, { namespace: TEAM, subresource: 'status' });
  }

  /** The project of a namespace. */
  project(namespace: string): ProjectCloud {
    const project = this.clouds.forNamespace(namespace);
    if (project === undefined) throw new Error(`namespace ${namespace} has no cloud`);
    return project;
  }

  /** The number of calls to which the cloud has responded so far. */
  get cloudCallCount(): number {
    return this.cloud.calls.total;
  }

  async close(): Promise<void> {
    for (const close of this.#stack.toReversed()) await close();
  }

  #transportAs(user: UserInfo, isOperator: boolean): Transport {
    if (isOperator || this.#form === 'embedded') return blindWriter(this.gateway.server.transport(user));
    const key = JSON.stringify(user);
    const opening = this.#transports.get(key) ?? this.gateway.transportAs(user);
    this.#transports.set(key, opening);
    return { request: async (request) => blindWriter(await opening).request(request), close: () => {} };
  }

  async #namespace(name: string, annotations: Record<string, string>): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations }, spec: {} };
    await this.as('operator').resource(Namespaces).create(object);
  }

  async #bind(namespace: string, person: Person, role: string): Promise<void> {
    await this.as('operator')
      .resource(RoleBindings)
      .create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: person, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: person }],
      });
  }
}

/** The Status of a rejected call; throws if it was not rejected. */
export async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw new Error('the call was not refused', { cause: outcome });
}
