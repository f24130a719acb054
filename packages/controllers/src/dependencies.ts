import type { KeystoneAccess } from '@fairway/api/domain/keystone-access';
import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneRuntime, ReviewAccess, ReviewToken } from '@fairway/control-plane/runtime';
import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Attempts } from '@fairway/kube/controller/attempts';
import type { ControllerDeclaration } from '@fairway/kube/controller/declaration';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import type { Registry } from 'prom-client';

/** Keystone users in tenants' clusters. */
export interface KeystoneUsers {
  /** Handles authentication webhooks of one cluster's API server. */
  reviewerFor(clusterUid: string, access: KeystoneAccess): ReviewToken;
  /** Compiles a policy into permissions; throws an Error that describes any mistake in the policy. */
  authorizerFor(policy: string): ReviewAccess;
}

/** Dependencies shared by Fairway's controllers. */
export interface ControllerDependencies {
  /** Fairway's own API. */
  readonly client: KubeClient;
  /** Informers for additional kinds of that API. */
  readonly informers: InformerSet;
  readonly cache: {
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
    readonly credentials: Informer<CloudCredential>;
    readonly plans: Informer<Plan>;
    readonly releases: Informer<KubernetesRelease>;
  };
  /** The projects of the clusters that this process owns. */
  readonly clouds: ClusterClouds;
  /** The same projects, regardless of which process owns the clusters. */
  readonly projects: Clouds;
  readonly runtime: ControlPlaneRuntime;
  readonly credentials: ClusterCredentials;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly events: EventRecorder;
  /** Retries of operations on one object, by its identity; operations in a project's cloud have separate retries. */
  readonly attempts: Attempts;
  /** The operator's node image, by ID or name; by default the newest Ubuntu LTS image in the cloud. */
  readonly defaultImage: string | undefined;
  /** How often each CloudCredential is checked with Keystone; one minute by default. */
  readonly credentialCheckMs: number | undefined;
  /** How long a Cluster must be missing before its remaining resources are deleted; ten minutes by default. */
  readonly missingGraceMs: number | undefined;
  /** What happens to cloud resources without an owner; deleted by default. */
  readonly orphans: OrphanPolicy | undefined;
  /** The initial and maximum backoff after a failed server build. */
  readonly serverBackoffMs: { readonly base: number; readonly max: number };
  /** How long UsageRecords are retained after their cluster is deleted, and what they contain. */
  readonly usageRetentionMs: number;
  /** Project quotas where no ProjectQuota sets them; unlimited by default. */
  readonly quotaDefaults: QuotaDefaults | undefined;
  /** Usage that ResourceQuotas record for tenants' namespaces; undefined if the API server counts usage itself. */
  readonly namespaceLimits: NamespaceLimits | undefined;
  /** Which keys this process owns; all of them by default. */
  readonly owner: KeyOwner | undefined;
  /** Whether this Fairway serves external autoscalers (`spec.autoscaler.mode: External`); false by default. */
  readonly servesAutoscalers: boolean | undefined;
  /** Whether NodePools are served inside clusters whose plan allows it; they are by default. */
  readonly allowInCluster: boolean | undefined;
  /** Keystone users for clusters that request them, or why they are unavailable; by default the operator has configured no Keystone. */
  readonly keystoneUsers: KeystoneUsers | { readonly problem: string };
  /** Where controllers register their own metrics; nowhere by default. */
  readonly registry: Registry | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What a directory's `controller.ts` declares. */
export type Declaration = ControllerDeclaration<ControllerDependencies>;
