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

/** The namespace for all namespaced add-on objects. */
export const ADDON_NAMESPACE = 'kube-system';

/** Identifies an object in a tenant's cluster. */
export interface ObjectIdentity {
  readonly type: ResourceType;
  readonly name: string;
}

/** One object in an add-on, as applied. */
export interface AddonObject extends ObjectIdentity {
  readonly object: KubeObject;
  /**
   * Fields that cannot be updated: if their values in Fairway's own object differ, Fairway recreates the object. An
   * object that belongs to another owner is left alone; the rest of the add-on is still applied.
   */
  readonly immutable?: readonly string[];
  /** Fairway annotations to remove if this object no longer specifies them. */
  readonly obsoleteAnnotations?: readonly string[];
  /**
   * Fields of the spec that must have exactly these values, or be absent. If anyone changes the object, or if an object
   * of another owner has its name, Fairway recreates it.
   */
  readonly exactFields?: readonly string[];
  /** Whether the object is only updated if it exists, and never created or deleted. */
  readonly isUpdateOnly?: boolean;
}

/** An add-on's workload. */
export interface Workload {
  readonly workload: ObjectIdentity;
  /** Label selector of its pods, in kubectl's format; undefined for CustomResourceDefinitions, which have no pods. */
  readonly podSelector?: string;
}

/**
 * The desired state of an add-on. Its health is that of its main workload, or of the first helper workload that is not
 * working.
 */
export interface Addon extends Workload {
  readonly name: AddonName;
  /** Without `v`: `1.34.2`. */
  readonly version: string;
  /** In the order in which they are applied: objects that may be refused first, workloads last. */
  readonly objects: readonly AddonObject[];
  /** Whether a node becomes Ready only once the add-on works on it. */
  readonly isNetwork?: boolean;
  /** Its other workloads. */
  readonly helpers?: readonly Workload[];
  /** If any of these objects is not Fairway's, the cluster already has its own add-on of this kind. */
  readonly claims: readonly ObjectIdentity[];
  /** A resource that its pods need in addition to a node, and that may already be in use. Used in messages. */
  readonly requirements?: string;
  /**
   * Set if the add-on serves an aggregated API. If `objects` is empty, the add-on is not installed, because the API
   * server could not reach it.
   */
  readonly aggregatedApi?: AggregatedApi;
}

/** How an add-on's pods serve an API in a tenant's cluster. */
export interface AggregatedApi {
  /**
   * The APIService. It is created once the pods are running and reachable. While an APIService without a working
   * backend exists, the cluster cannot delete namespaces, and every kubectl command reports an error.
   */
  readonly registration: ObjectIdentity;
  /** The Secret with the serving certificate. */
  readonly certificate: ObjectIdentity;
  /** The DNS name in the certificate. */
  readonly dnsName: string;
  /** A path that the API server proxies to the pods, which respond to any client. */
  readonly probe: string;
}

/** The inputs from which add-ons are rendered. */
export interface AddonFacts {
  /** The control plane's exact version. */
  readonly version: string;
  /** The oldest kubelet version reported by the nodes; undefined if there are no nodes. */
  readonly oldestNodeVersion: string | undefined;
  /** The CoreDNS version specified in the operator's catalogue. */
  readonly coreDnsVersion: string | undefined;
  /** The versions of Calico and flannel, which make up Canal, specified in the catalogue. */
  readonly calicoVersion: string | undefined;
  readonly flannelVersion: string | undefined;
  /** The Cilium version specified in the catalogue. */
  readonly ciliumVersion: string | undefined;
  /** The pod network that Fairway installs; undefined if the tenant installs it. */
  readonly podNetwork: InstalledCni | undefined;
  /** The metrics-server version specified in the catalogue. */
  readonly metricsServerVersion: string | undefined;
  /** The cinder-csi-plugin version specified in the catalogue. */
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
  /** The API server's URL. */
  readonly server: string;
  readonly podCIDR: string;
  /** The cluster DNS address. */
  readonly dnsAddress: string;
  readonly dnsDomain: string;
  readonly kubeProxy: KubeProxyChoice;
  /** Whether an add-on's pods can run on two different nodes. */
  readonly hasSeveralNodes: boolean;
  /** The desired number of nodes. */
  readonly nodeCount: number;
}

/** A Cluster's `spec.kubeProxy`, with the mode in effect. */
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
