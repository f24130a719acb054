import { groupOf } from '@fairway/kube/controller/owners';
import type { KubeObject, OwnerReference, ResourceType } from '@fairway/kube/object/meta';

/** Finalizers with which an API server delegates a deletion to the garbage collector. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/** The ownership data of an object. */
export interface GraphNode {
  readonly type: ResourceType;
  readonly uid: string;
  /** '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly isBeingDeleted: boolean;
  /** Being deleted in the foreground: waits until the object's dependents are deleted. */
  readonly isDeletingDependents: boolean;
  /** Being deleted with orphaning: waits until the object's dependents are released. */
  readonly isOrphaning: boolean;
}

/** Work enqueued by a change of the graph. */
export interface GraphSink {
  /** Check whether this object must be deleted, or whether its deletion may proceed. */
  check(uid: string): void;
  /** An owner reference does not match the owner's namespace or kind. */
  invalidReference(dependent: GraphNode, reference: OwnerReference): void;
}

const NO_OWNERS: readonly OwnerReference[] = [];

/**
 * The ownership graph, by uid. Owners may be unknown: a reference to a uid not yet observed is kept, and is checked
 * against the server. Modelled on upstream's graph builder (pkg/controller/garbagecollector/graph_builder.go).
 */
export class OwnerGraph {
  readonly #sink: GraphSink;
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(sink: GraphSink) {
    this.#sink = sink;
  }

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  dependentsOf(uid: string): GraphNode[] {
    const found: GraphNode[] = [];
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(dependent);
      if (node) found.push(node);
    }
    return found;
  }

  /** Adds or updates an object from an informer. */
  put(type: ResourceType, object: KubeObject): void {
    const node = nodeOf(type, object);
    const old = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    this.#unlink(old, node);
    const known = new Set(old?.owners.map(({ uid }) => uid));
    for (const reference of node.owners) {
      this.#link(node, reference);
      if (!known.has(reference.uid)) this.#checkReference(node, reference);
    }
    if (!old) this.#checkDependents(node);
    this.#checkTransition(old, node);
  }

  /** Removes an object. Its dependents may have to be deleted, and its owners may have waited for its removal. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    this.#unlink(node, undefined);
    for (const dependent of this.#dependents.get(uid) ?? []) this.#sink.check(dependent);
  }

  /** Removes the objects of a kind that is no longer served. They may still exist, so nothing is enqueued. */
  forget(type: ResourceType): void {
    for (const node of this.#nodes.values()) {
      if (node.type !== type) continue;
      this.#nodes.delete(node.uid);
      this.#unlink(node, undefined);
    }
  }

  /** Enqueues checks for all unfinished deletions and unconfirmed references, once all kinds have been listed. */
  checkAll(): void {
    for (const node of this.#nodes.values()) {
      this.#checkTransition(undefined, node);
      for (const reference of node.owners) this.#checkReference(node, reference);
    }
  }

  #checkReference(node: GraphNode, reference: OwnerReference): void {
    const owner = this.#nodes.get(reference.uid);
    if (owner && !isNamedBy(owner, reference, node.namespace)) this.#sink.invalidReference(node, reference);
    else if (owner && !owner.isDeletingDependents) return;
    this.#sink.check(node.uid);
  }

  /** Rechecks references to an object that was unknown until now. */
  #checkDependents(owner: GraphNode): void {
    for (const dependent of this.dependentsOf(owner.uid)) {
      for (const reference of dependent.owners) {
        if (reference.uid === owner.uid) this.#checkReference(dependent, reference);
      }
    }
  }

  #checkTransition(old: GraphNode | undefined, node: GraphNode): void {
    const startsDeleting = node.isDeletingDependents && !old?.isDeletingDependents;
    const startsOrphaning = node.isOrphaning && !old?.isOrphaning;
    if (startsDeleting || startsOrphaning) this.#sink.check(node.uid);
    if (startsDeleting) for (const uid of this.#dependents.get(node.uid) ?? []) this.#sink.check(uid);
  }

  #link(node: GraphNode, reference: OwnerReference): void {
    const dependents = this.#dependents.get(reference.uid);
    if (dependents) dependents.add(node.uid);
    else this.#dependents.set(reference.uid, new Set([node.uid]));
  }

  /** Drops removed references, and enqueues owners that may have waited for them. */
  #unlink(old: GraphNode | undefined, node: GraphNode | undefined): void {
    for (const reference of old?.owners ?? NO_OWNERS) {
      const kept = node?.owners.find(({ uid }) => uid === reference.uid);
      if (!kept) {
        const dependents = this.#dependents.get(reference.uid);
        dependents?.delete(old?.uid ?? '');
        if (dependents?.size === 0) this.#dependents.delete(reference.uid);
      }
      const isUnblocked = !kept || (reference.blockOwnerDeletion === true && kept.blockOwnerDeletion !== true);
      if (isUnblocked && this.#nodes.get(reference.uid)?.isDeletingDependents) this.#sink.check(reference.uid);
    }
  }
}

/** Whether a reference, resolved in the dependent's namespace, refers to this object. */
function isNamedBy(owner: GraphNode, reference: OwnerReference, namespace: string): boolean {
  return (
    owner.name === reference.name &&
    owner.type.kind === reference.kind &&
    owner.type.group === groupOf(reference.apiVersion) &&
    (!owner.type.namespaced || owner.namespace === namespace)
  );
}

function nodeOf(type: ResourceType, { metadata }: KubeObject): GraphNode {
  const isBeingDeleted = metadata.deletionTimestamp !== undefined;
  const finalizers = metadata.finalizers ?? [];
  return {
    type,
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    owners: metadata.ownerReferences ?? NO_OWNERS,
    isBeingDeleted,
    isDeletingDependents: isBeingDeleted && finalizers.includes(FOREGROUND_FINALIZER),
    isOrphaning: isBeingDeleted && finalizers.includes(ORPHAN_FINALIZER),
  };
}
