import type { KeystoneAccess } from '@fairway/api/domain/keystone-access';
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

/** Users of Keystone at tenants' clusters. */
export interface KeystoneUsers {
  /** Answers the API server of one cluster. */
  reviewerFor(clusterUid: string, access: KeystoneAccess): ReviewToken;
  /** Rights by a policy; throws an Error that says what is wrong with it. */
  authorizerFor(policy: string): ReviewAccess;
}

/** Dependencies shared by Fairway's controllers. */
export interface ControllerDependencies {
  /** Fairway's own API. */
  readonly client: KubeClient;
  /** For caches of further kinds of that API. */
  readonly informers: InformerSet;
  readonly cache: {
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
    readonly credentials: Informer<CloudCredential>;
    readonly plans: Informer<Plan>;
    readonly releases: Informer<KubernetesRelease>;
  };
  /** The clusters' projects, for clusters that this process owns. */
  readonly clouds: ClusterClouds;
  /** The same projects, whichever process owns the clusters. */
  readonly projects: Clouds;
  readonly runtime: ControlPlaneRuntime;
  readonly credentials: ClusterCredentials;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly events: EventRecorder;
  /** Retries of operations on one object, by its identity; operations in a project's cloud have their own. */
  readonly attempts: Attempts;
  /** The operator's image of nodes, by id or name; undefined: the newest Ubuntu LTS of the cloud. */
  readonly defaultImage: string | undefined;
  /** How often Keystone is asked about each CloudCredential; a minute by default. */
  readonly credentialCheckMs: number | undefined;
  /** How long a Cluster must be missing before its leftovers are deleted; ten minutes by default. */
  readonly vanishedGraceMs: number | undefined;
  /** What becomes of resources in the cloud that nothing here has any more; they are deleted by default. */
  readonly orphans: OrphanPolicy | undefined;
  /** The first and the longest backoff after a failed server build. */
  readonly serverBackoffMs: { readonly base: number; readonly max: number };
  /** How long UsageRecords outlive their clusters, and what they say. */
  readonly usageRetentionMs: number;
  /** What projects may have where no ProjectQuota says; unlimited by default. */
  readonly quotaDefaults: QuotaDefaults | undefined;
  /** Which keys are this process's; all of them by default. */
  readonly owner: KeyOwner | undefined;
  /** Whether this Fairway serves clusters' own autoscalers (`spec.autoscaler.mode: External`); it does not by default. */
  readonly servesAutoscalers: boolean | undefined;
  /** Whether clusters whose plan allows it have their NodePools within them; they do by default. */
  readonly allowInCluster: boolean | undefined;
  /** Users of Keystone for clusters that ask for them, or why there are none; by default the operator names no Keystone. */
  readonly keystoneUsers: KeystoneUsers | { readonly problem: string };
  /** Where a controller's own metrics go; nowhere by default. */
  readonly registry: Registry | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What the file `controller.ts` in the folder of a controller declares. */
export type Declaration = ControllerDeclaration<ControllerDependencies>;
