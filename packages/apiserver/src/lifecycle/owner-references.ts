import { RecentMap } from '@fairway/base/recent-map';
import type { ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { groupOf } from '@fairway/kube/controller/owners';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, OwnerReference } from '@fairway/kube/object/meta';
import { FOREGROUND_FINALIZER, type GraphNode } from './owner-graph.ts';

/** The references of an object by what stands behind them. */
export interface ClassifiedReferences {
  /** The owner is there and stays. */
  readonly solid: readonly OwnerReference[];
  /** The owner is gone, or another object has its name. */
  readonly dangling: readonly OwnerReference[];
  /** The owner waits for its dependents to be deleted. */
  readonly waiting: readonly OwnerReference[];
  /** Can't be judged: the kind is not served, or is namespaced while the object is not. Keeps the object. */
  readonly unresolved: readonly OwnerReference[];
}

/** Finds the served kind of a group and kind. */
export type FindKind = (group: string, kind: string) => ServedResource | undefined;

/** As many as upstream remembers. */
const ABSENT_OWNERS = 500;

/** Asks the API server itself whether owners are there: caches may be behind, and a wrong answer deletes. */
export class OwnerReferences {
  readonly #client: KubeClient;
  readonly #find: FindKind;
  readonly #absent = new RecentMap<true>(ABSENT_OWNERS);

  constructor(client: KubeClient, find: FindKind) {
    this.#client = client;
    this.#find = find;
  }

  /** Remembers an owner that is gone, so that its dependents need not ask for it one by one. uids don't come back. */
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
