import { ADDON_NAMESPACE, type Addon, type ObjectIdentity, objectKey } from '@fairway/addons/addon';
import type { Informer } from '@fairway/kube/client/informer';
import {
  APIServices,
  ConfigMaps,
  DaemonSets,
  Deployments,
  Services,
  StorageClasses,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** Workloads, their settings, addresses and APIs, and policies; the hourly check covers the rest. */
const WATCHED_KINDS = new Set(
  [
    APIServices,
    ConfigMaps,
    DaemonSets,
    Deployments,
    Services,
    StorageClasses,
    ValidatingAdmissionPolicies,
    ValidatingAdmissionPolicyBindings,
  ].map(({ kind }) => kind),
);

interface Watch {
  readonly informer: Informer<KubeObject>;
  deletions: number;
}

/**
 * The watches of a tenant's add-ons, restricted to their names because a tenant may have any number of other objects.
 * They end with the connection.
 */
export class TenantWatches {
  readonly #enqueue: (clusterKey: string) => void;
  readonly #watches = new WeakMap<TenantCluster, Map<string, Watch>>();

  constructor(enqueue: (clusterKey: string) => void) {
    this.#enqueue = enqueue;
  }

  /** Starts the watches on the first call for a connection. Enqueues the cluster when a list is complete. */
  follow(tenant: TenantCluster, addons: readonly Addon[]): void {
    const known = this.#watches.get(tenant) ?? new Map<string, Watch>();
    this.#watches.set(tenant, known);
    for (const identity of addons.flatMap(watchedObjects)) {
      if (!known.has(objectKey(identity))) known.set(objectKey(identity), this.#start(tenant, identity));
    }
  }

  /** The object as last observed; undefined if it is missing or not known yet. */
  get(tenant: TenantCluster, { type, name }: ObjectIdentity): KubeObject | undefined {
    const informer = this.#find(tenant, { type, name })?.informer;
    return informer?.get(type.namespaced ? `${ADDON_NAMESPACE}/${name}` : name);
  }

  /** Whether the object's first list is complete. */
  isSynced(tenant: TenantCluster, identity: ObjectIdentity): boolean {
    return this.#find(tenant, identity)?.informer.hasSynced === true;
  }

  /** How often the object was deleted since its watch began. */
  deletions(tenant: TenantCluster, identity: ObjectIdentity): number {
    return this.#find(tenant, identity)?.deletions ?? 0;
  }

  #find(tenant: TenantCluster, identity: ObjectIdentity): Watch | undefined {
    return this.#watches.get(tenant)?.get(objectKey(identity));
  }

  #start(tenant: TenantCluster, { type, name }: ObjectIdentity): Watch {
    const changed = () => this.#enqueue(tenant.clusterKey);
    // All StorageClasses are already watched, for the volumes of their claims.
    const isShared = type.kind === StorageClasses.kind;
    const informer = tenant.informers.informer<KubeObject>(type, {
      ...(type.namespaced && { namespace: ADDON_NAMESPACE }),
      ...(!isShared && { fieldSelector: `metadata.name=${name}` }),
    });
    const onChange = ({ metadata }: KubeObject) => {
      if (metadata.name === name) changed();
    };
    const watch: Watch = { informer, deletions: 0 };
    const onDelete = (object: KubeObject) => {
      if (object.metadata.name === name) watch.deletions++;
      onChange(object);
    };
    informer.addHandler({ onAdd: onChange, onUpdate: (_, object) => onChange(object), onDelete });
    // An empty list changes nothing, but a pass may be waiting for it.
    void informer.whenSynced(tenant.signal).then(changed, () => {});
    return watch;
  }
}

/** The objects of an add-on that are watched. */
export function watchedObjects({ objects, workload }: Addon): Addon['objects'] {
  return objects.filter((each) => WATCHED_KINDS.has(each.type.kind) || objectKey(each) === objectKey(workload));
}
