import { RecentMap } from '@fairway/base/recent-map';
import type { ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { groupOf } from '@fairway/kube/controller/owners';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, OwnerReference } from '@fairway/kube/object/meta';
import { FOREGROUND_FINALIZER, type GraphNode } from './owner-graph.ts';

/** The owner references of an object by the state of the owner. */
export interface ClassifiedReferences {
  /** The owner exists and is not waiting for dependents. */
  readonly solid: readonly OwnerReference[];
  /** The owner no longer exists, or was recreated with a different UID. */
  readonly dangling: readonly OwnerReference[];
  /** The owner waits for its dependents to be deleted. */
  readonly waiting: readonly OwnerReference[];
  /**
   * Unresolvable: the owner's kind is not served, or is namespaced while the object is not. Such a reference keeps the
   * object.
   */
  readonly unresolved: readonly OwnerReference[];
}

/** Finds the served kind for a group and kind. */
export type FindKind = (group: string, kind: string) => ServedResource | undefined;

/** Upstream's cache size. */
const MAX_ABSENT_OWNERS = 500;

/** Looks up owners on the API server: caches may be stale, and a wrong result deletes objects. */
export class OwnerReferences {
  readonly #client: KubeClient;
  readonly #find: FindKind;
  readonly #absent = new RecentMap<true>(MAX_ABSENT_OWNERS);

  constructor(client: KubeClient, find: FindKind) {
    this.#client = client;
    this.#find = find;
  }

  /** Remembers missing owners, so that their dependents don't each need a lookup. UIDs are never reused. */
  rememberAbsent(uid: string, namespace: string): void {
    this.#absent.set(`${uid}/${namespace}`, true);
  }

  async classify(references: readonly OwnerReference[], node: GraphNode): Promise<ClassifiedReferences> {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    const unresolved: OwnerReference[] = [];
    for (const reference of references) {
      const type = this.#find(groupOf(reference.apiVersion), reference.kind);
      const isResolvable = type !== undefined && (!type.namespaced || node.namespace !== '');
      const owner = isResolvable ? await this.#owner(type, reference, node.namespace) : undefined;
      if (!isResolvable) unresolved.push(reference);
      else if (!owner) dangling.push(reference);
      else if (isWaiting(owner)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting, unresolved };
  }

  async #owner(
    type: ServedResource,
    { name, uid }: OwnerReference,
    inNamespace: string,
  ): Promise<KubeObject | undefined> {
    const namespace = type.namespaced ? inNamespace : '';
    if (this.#absent.get(`${uid}/${namespace}`)) return undefined;
    try {
      const owner = await this.#client.metadata(type).get(name, namespace === '' ? {} : { namespace });
      if (owner.metadata.uid === uid) return owner;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    this.rememberAbsent(uid, namespace);
    return undefined;
  }
}

function isWaiting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER);
}
