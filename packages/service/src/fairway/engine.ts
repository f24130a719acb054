import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { ListCloudResources } from '@fairway/gateway/cloud-resources/cloud-resources-request';
import type { ClusterAuditReader } from '@fairway/gateway/cluster-audit/cluster-audit-reader';
import type { PlanUpgrade } from '@fairway/gateway/upgrade-plan/upgrade-plan-request';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { Registry } from 'prom-client';
import type { OpenKeystone } from './keystone.ts';

/** A Kubernetes API that stores Fairway's objects. Controllers work the same on every engine. */
export interface Engine {
  /** The API, accessed with the identity of Fairway's controllers. */
  readonly client: KubeClient;
  /** Synchronous reads for clouds, bootstrapper and admission: namespaces, cloud credentials, clusters, plans and releases. */
  readonly reader: ObjectReader;
  /** The controllers' shared caches; already started, and stopped by `close`. */
  readonly informers: InformerSet;
  /** Tasks that the API server does not run itself; they run alongside the controllers. */
  readonly runnables: readonly Runnable[];
  /** Stops the caches, and the API if it is in this process. The controllers must have stopped first. */
  close(): Promise<void>;
}

/** Dependencies of the engine's own admission, created before the engine. */
export interface EngineParts {
  readonly clouds: Clouds;
  /** Reads through the engine itself, so available only once it is open. */
  readonly credentials: () => ClusterCredentials;
  /** The fields of a Cluster that control planes on this engine cannot enforce. */
  readonly unenforcedFields: () => Promise<UnenforcedFields>;
  /** Why clusters on this engine cannot admit Keystone users; undefined if they can. */
  readonly keystoneProblem?: string | undefined;
  /** Limits of projects without a ProjectQuota. */
  readonly quotaDefaults?: QuotaDefaults | undefined;
  /** The operator's node image, by ID or name. */
  readonly defaultImage?: string | undefined;
  /** Undefined until the controllers run. */
  readonly upgradePlans: () => PlanUpgrade | undefined;
  readonly cloudResources: () => ListCloudResources | undefined;
  /** Reads the audit logs of clusters' API servers. */
  readonly clusterAudit: ClusterAuditReader;
  readonly registry: Registry;
  /** Keystone users, if the operator has enabled them. */
  readonly keystone?: OpenKeystone | undefined;
}

/** Resolves when the API responds and the caches of its reader have synced. */
export type OpenEngine<E extends Engine = Engine> = (parts: EngineParts) => Promise<E>;
