import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { StorageLimits } from '@fairway/api/domain/plan-storage';
import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

export type AddonName =
  | InstalledCni
  | 'kube-proxy'
  | 'coredns'
  | 'metrics-server'
  | 'cinder-csi'
  | 'volume-snapshots'
  | 'plan-limits';

/** The namespace of all namespaced objects of add-ons. */
export const ADDON_NAMESPACE = 'kube-system';

/** Identifies an object in a tenant's cluster. */
export interface ObjectIdentity {
  readonly type: ResourceType;
  readonly name: string;
}

/** One object of an add-on, as applied. */
export interface AddonObject extends ObjectIdentity {
  readonly object: KubeObject;
  /**
   * Fields that cannot be updated: if their values in Fairway's own object differ, Fairway recreates the object. An
   * object of another owner is left alone, with no effect on the rest of the add-on.
   */
  readonly immutable?: readonly string[];
  /** Fairway's annotations that are removed if this object no longer has them. */
  readonly obsoleteAnnotations?: readonly string[];
  /**
   * Fields of the spec that must have exactly these values, or be absent. If anyone changes the object, or if an object
   * of another owner has its name, Fairway recreates it.
   */
  readonly exactFields?: readonly string[];
  /** Whether the object is only updated if it exists, and never created or deleted. */
  readonly isUpdateOnly?: boolean;
}

/** The workload of an add-on. */
export interface Workload {
  readonly workload: ObjectIdentity;
  /** Label selector of its pods, in kubectl's format; undefined for definitions, which have no pods. */
  readonly podSelector?: string;
}

/**
 * The desired state of an add-on. Its health is that of its main workload, or of the first helper that does not work.
 */
export interface Addon extends Workload {
  readonly name: AddonName;
  /** Without `v`: `1.34.2`. */
  readonly version: string;
  /** In the order in which they are applied: objects that may be refused first, workloads last. */
  readonly objects: readonly AddonObject[];
  /** Whether a node becomes Ready only when the add-on works on it. */
  readonly isNetwork?: boolean;
  /** Its other workloads. */
  readonly helpers?: readonly Workload[];
  /** If one of these objects is not Fairway's, the cluster already has its own add-on of this kind. */
  readonly claims: readonly ObjectIdentity[];
  /** A resource that its pods need in addition to a node, and that may already be in use; for messages. */
  readonly requirements?: string;
  /**
   * Set if the add-on serves an aggregated API. If `objects` is empty, the add-on is not installed, because the API
   * server could not reach it.
   */
  readonly aggregatedApi?: AggregatedApi;
}

/** How pods of an add-on serve an API of a tenant's cluster. */
export interface AggregatedApi {
  /**
   * The APIService. It is created when the pods run and are reachable. While an APIService without a working backend
   * exists, the cluster cannot delete namespaces, and every kubectl command reports an error.
   */
  readonly registration: ObjectIdentity;
  /** The Secret with the serving certificate. */
  readonly certificate: ObjectIdentity;
  /** The DNS name in the certificate. */
  readonly dnsName: string;
  /** A path that the API server proxies to the pods, which respond to any client. */
  readonly probe: string;
}

/** The inputs of add-ons. */
export interface AddonFacts {
  /** Exact version of the control plane. */
  readonly version: string;
  /** Oldest kubelet version that nodes report; undefined without nodes. */
  readonly oldestNodeVersion: string | undefined;
  /** Version of CoreDNS that the operator's catalogue specifies. */
  readonly coreDnsVersion: string | undefined;
  /** Version of Calico and flannel, which make up Canal, that the catalogue specifies. */
  readonly calicoVersion: string | undefined;
  readonly flannelVersion: string | undefined;
  /** Version of Cilium that the catalogue specifies. */
  readonly ciliumVersion: string | undefined;
  /** The pod network that Fairway installs; undefined if the tenant installs it. */
  readonly podNetwork: InstalledCni | undefined;
  /** Version of metrics-server that the catalogue specifies. */
  readonly metricsServerVersion: string | undefined;
  /** Version of cinder-csi-plugin that the catalogue specifies. */
  readonly cinderCsiVersion: string | undefined;
  /** The plan's rules for volumes. */
  readonly storage: StorageLimits;
  /** Whether the API server reads the limit policies from a file, so that the cluster needs no objects for them. */
  readonly hasPolicyFile: boolean;
  /** The plan's limits of objects in the cluster. */
  readonly limits: InClusterLimits;
  /** The day, in UTC: `2026-11-30`. */
  readonly today: string;
  /** Whether the API server can connect to nodes. */
  readonly reachesNodes: boolean;
  /** URL of the API server. */
  readonly server: string;
  readonly podCIDR: string;
  /** Address of the cluster's DNS. */
  readonly dnsAddress: string;
  readonly dnsDomain: string;
  readonly kubeProxy: KubeProxyChoice;
  /** Whether pods of an add-on can run on two nodes. */
  readonly hasSeveralNodes: boolean;
  /** The desired number of nodes. */
  readonly nodeCount: number;
}

/** `spec.kubeProxy` of a Cluster, with the mode in effect. */
export interface KubeProxyChoice {
  readonly mode: string;
  readonly iptables?: SyncPeriods | undefined;
  readonly ipvs?:
    | (SyncPeriods & {
        readonly scheduler?: string | undefined;
        readonly tcpTimeout?: string | undefined;
        readonly tcpFinTimeout?: string | undefined;
        readonly udpTimeout?: string | undefined;
      })
    | undefined;
}

interface SyncPeriods {
  readonly minSyncPeriod?: string | undefined;
  readonly syncPeriod?: string | undefined;
}

/** `ConfigMap kube-system/coredns`, for messages. */
export function describeObject({ type, name }: ObjectIdentity): string {
  return `${type.kind} ${type.namespaced ? `${ADDON_NAMESPACE}/` : ''}${name}`;
}

/** Identifies an object within one cluster. */
export function objectKey({ type, name }: ObjectIdentity): string {
  return `${type.kind}.${type.group}/${name}`;
}
