import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { StorageLimits } from '@fairway/api/domain/plan-storage';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

export type AddonName = InstalledCni | 'kube-proxy' | 'coredns' | 'metrics-server' | 'cinder-csi' | 'volume-snapshots';

/** Where all namespaced objects of add-ons are. */
export const ADDON_NAMESPACE = 'kube-system';

/** Which object of a tenant's cluster. */
export interface ObjectIdentity {
  readonly type: ResourceType;
  readonly name: string;
}

/** One object of an add-on, as it is applied. */
export interface AddonObject extends ObjectIdentity {
  readonly object: KubeObject;
  /**
   * Fields of it that no update changes: where Fairway's own has others, it is made anew. Such an object of somebody else's stays as it is, whatever
   * becomes of the rest of the add-on.
   */
  readonly immutable?: readonly string[];
  /** Annotations of Fairway's that are to go where this object has them no more. */
  readonly withdrawn?: readonly string[];
  /** Whether it is neither made nor deleted. */
  readonly isOnlyKept?: boolean;
}

/** What runs of an add-on. */
export interface Workload {
  readonly workload: ObjectIdentity;
  /** Selector of its pods, as kubectl takes it; undefined for definitions, which have none. */
  readonly podSelector?: string;
}

/** An add-on as a cluster is to have it. The workload is what does its work: its health is the add-on's, and then that of its helpers. */
export interface Addon extends Workload {
  readonly name: AddonName;
  /** Without `v`: `1.34.2`. */
  readonly version: string;
  /** In the order in which they are applied: what may be refused first, what runs last. */
  readonly objects: readonly AddonObject[];
  /** Whether nodes are not Ready before it works there. */
  readonly isNetwork?: boolean;
  /** What else of it runs. */
  readonly helpers?: readonly Workload[];
  /** One of these that is not Fairway's says that the cluster has such an add-on of its own. */
  readonly claims: readonly ObjectIdentity[];
  /** What its pods want besides a node, where that may be taken; for people. */
  readonly needs?: string;
  /** Where it serves an API beside the API server. Without objects it is not installed: the API server would not reach it. */
  readonly serving?: Serving;
}

/** How an API of a tenant's cluster is served by pods of an add-on. */
export interface Serving {
  /**
   * The APIService. It is made when the pods run and are reached: while one is there that does not answer, the cluster deletes no namespaces, and
   * every kubectl complains.
   */
  readonly registration: ObjectIdentity;
  /** The Secret with its certificate. */
  readonly certificate: ObjectIdentity;
  /** The name that the certificate is for. */
  readonly dnsName: string;
  /** A path of the API server that it passes on to the pods, which answer everybody. */
  readonly probe: string;
}

/** What add-ons depend on. */
export interface AddonFacts {
  /** Exact version that the control plane runs. */
  readonly version: string;
  /** Oldest version of a kubelet, as nodes say; undefined without nodes. */
  readonly oldestNodeVersion: string | undefined;
  /** Version of CoreDNS that the operator's catalogue names for it. */
  readonly coreDnsVersion: string | undefined;
  /** Likewise of Calico and flannel, which Canal consists of. */
  readonly calicoVersion: string | undefined;
  readonly flannelVersion: string | undefined;
  /** Likewise of Cilium. */
  readonly ciliumVersion: string | undefined;
  /** The pod network that Fairway installs; undefined where that is the tenant's. */
  readonly podNetwork: InstalledCni | undefined;
  /** The same of metrics-server. */
  readonly metricsServerVersion: string | undefined;
  /** Likewise of cinder-csi-plugin. */
  readonly cinderCsiVersion: string | undefined;
  /** What the cluster's plan says of volumes. */
  readonly storage: StorageLimits;
  /** Whether the API server connects to nodes at all. */
  readonly reachesNodes: boolean;
  /** URL of the API server. */
  readonly server: string;
  readonly podCIDR: string;
  /** Address of the cluster's DNS. */
  readonly dnsAddress: string;
  readonly dnsDomain: string;
  readonly kubeProxy: KubeProxyChoice;
  /** Whether pods of an add-on can be on two nodes. */
  readonly hasSeveralNodes: boolean;
  /** How many nodes the cluster is to have. */
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

/** `ConfigMap kube-system/coredns`, for people. */
export function describeObject({ type, name }: ObjectIdentity): string {
  return `${type.kind} ${type.namespaced ? `${ADDON_NAMESPACE}/` : ''}${name}`;
}

/** Tells objects of one cluster apart. */
export function objectKey({ type, name }: ObjectIdentity): string {
  return `${type.kind}.${type.group}/${name}`;
}
