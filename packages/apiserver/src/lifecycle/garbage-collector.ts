import { type Clock, systemClock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { Controller } from '@fairway/kube/controller/controller';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { ControllerMetrics } from '@fairway/kube/controller/metrics';
import type { Result } from '@fairway/kube/controller/result';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject, type OwnerReference } from '@fairway/kube/object/meta';
import { FOREGROUND_FINALIZER, type GraphNode, ORPHAN_FINALIZER, OwnerGraph } from './owner-graph.ts';
import { OwnerReferences } from './owner-references.ts';
import { ServedInformers } from './served-informers.ts';

export interface GarbageCollectorOptions {
  readonly client: KubeClient;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  /** Kinds served by aggregated API servers, whose objects are not tracked; empty by default. */
  readonly isAggregated?: ((type: ServedResource) => boolean) | undefined;
}

/**
 * How soon to recheck an owner that exists on the server but is not in an informer yet: it could be deleted before it
 * appears there.
 */
const UNOBSERVED_OWNER_RETRY_MS = 5_000;
/** How soon to recheck an unserved kind, which may be served later. */
const UNRESOLVED_OWNER_RETRY_MS = 60_000;
const CONCURRENCY = 20;

/**
 * Deletes objects without a remaining owner, and handles foreground and orphaning deletions: kube-controller-manager's garbage collector
 * (pkg/controller/garbagecollector) for any API server.
 *
 * Expected flow: informers of all kinds build a graph; graph changes enqueue objects to check; a check reads from the server, then acts.
 * Guarantees: nothing is deleted based on a cache alone; deletions carry uid and resourceVersion as preconditions.
 * Caveats: an object whose owner's kind is not served, or that is cluster-scoped and refers to a namespaced owner, is never collected.
 */
export class GarbageCollector implements Runnable {
  readonly name = 'garbage-collector';
  readonly #client: KubeClient;
  readonly #log: Logger;
  readonly #recorder: EventRecorder;
  readonly #informers: ServedInformers;
  readonly #references: OwnerReferences;
  readonly #graph: OwnerGraph;
  readonly #controller: Controller;
  #hasSynced = false;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: GarbageCollectorOptions) {
    const { client, clock = systemClock, random = Math.random, log = silentLogger, metrics } = options;
    this.#client = client;
    this.#log = log.child({ controller: this.name });
    this.#recorder = new EventRecorder(client, { component: 'garbage-collector-controller', clock, random, log });
    this.#graph = new OwnerGraph({
      check: (uid) => this.#hasSynced && this.#controller.enqueue(uid),
      invalidReference: (dependent, reference) => this.#hasSynced && this.#reportInvalid(dependent, reference),
    });
    this.#informers = new ServedInformers({
      client,
      clock,
      random,
      log: this.#log,
      isIgnored: options.isAggregated,
      handler: {
        onPut: (type, object) => this.#graph.put(type, object),
        onDelete: (_type, { metadata }) => {
          this.#references.rememberAbsent(metadata.uid ?? '', metadata.namespace ?? '');
          this.#graph.remove(metadata.uid ?? '');
        },
        onRemoved: (type) => this.#graph.forget(type),
      },
    });
    this.#references = new OwnerReferences(client, (group, kind) => this.#informers.find(group, kind));
    this.#controller = new Controller({
      name: this.name,
      clock,
      random,
      log,
      metrics,
      concurrency: CONCURRENCY,
      reconcile: (uid) => this.#reconcile(uid),
    });
  }

  start(signal: AbortSignal): void {
    this.#stopped = this.#run(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#log.error({ err: error }, 'garbage collector failed');
    });
  }

  get stopped(): Promise<void> {
    return this.#stopped;
  }

  /** Resolves when no check is running; for tests. */
  idle(): Promise<void> {
    return this.#controller.idle();
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await this.#informers.start(signal);
      this.#hasSynced = true;
      this.#graph.checkAll();
      this.#controller.start(signal);
      await this.#controller.stopped;
    } finally {
      await this.#informers.stopped();
    }
  }

  async #reconcile(uid: string): Promise<Result> {
    const node = this.#graph.node(uid);
    if (!node) return {};
    if (node.isBeingDeleted && !node.isDeletingDependents && !node.isOrphaning) return {};
    const object = await this.#current(node);
    if (!object) return {};
    if (node.isOrphaning) return this.#orphan(node, object);
    if (node.isDeletingDependents) return this.#finishForeground(node, object);
    return this.#collect(node, object);
  }

  /** Releases the dependents, then removes the object's finalizer. */
  async #orphan(node: GraphNode, object: KubeObject): Promise<Result> {
    const dependents = this.#graph.dependentsOf(node.uid);
    await Promise.all(dependents.map((dependent) => this.#dropReferences(dependent, new Set([node.uid]))));
    await removeFinalizer(this.#client.metadata(node.type), object, ORPHAN_FINALIZER);
    return {};
  }

  /**
   * Removes the object's finalizer once no dependent blocks it. Blocking dependents are checked, and deleted if they
   * can be.
   */
  async #finishForeground(node: GraphNode, object: KubeObject): Promise<Result> {
    const blocking = this.#graph.dependentsOf(node.uid).filter((dependent) => isBlocking(dependent, node.uid));
    if (blocking.length === 0) {
      await removeFinalizer(this.#client.metadata(node.type), object, FOREGROUND_FINALIZER);
      return {};
    }
    for (const dependent of blocking) {
      if (!dependent.isDeletingDependents) this.#controller.enqueue(dependent.uid);
    }
    return {};
  }

  async #collect(node: GraphNode, object: KubeObject): Promise<Result> {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return {};
    const { solid, dangling, waiting, unresolved } = await this.#references.classify(references, node);
    if (unresolved.length > 0) return this.#keepUnresolved(node, unresolved);
    if (solid.length > 0) {
      const absentOwnerUids = [...dangling, ...waiting].map(({ uid }) => uid);
      if (absentOwnerUids.length > 0) await this.#dropReferences(node, new Set(absentOwnerUids));
      const isUnobserved = solid.some(({ uid }) => !this.#graph.node(uid));
      return isUnobserved ? { requeueAfterMs: UNOBSERVED_OWNER_RETRY_MS } : {};
    }
    const dependents = this.#graph.dependentsOf(node.uid);
    if (waiting.length > 0 && dependents.length > 0) {
      // If two objects own each other, one must stop blocking, or both would wait forever.
      if (dependents.some(({ isDeletingDependents }) => isDeletingDependents)) await this.#unblock(node, object);
      await this.#delete(node, object, 'Foreground');
      return {};
    }
    await this.#delete(node, object, policyOf(object));
    return {};
  }

  #keepUnresolved(node: GraphNode, unresolved: readonly OwnerReference[]): Result {
    for (const reference of unresolved) {
      const owner = this.#informers.find(reference.apiVersion.split('/').slice(0, -1).join('/'), reference.kind);
      if (!owner) return { requeueAfterMs: UNRESOLVED_OWNER_RETRY_MS };
      this.#reportInvalid(node, reference);
    }
    return {};
  }

  /** The object on the server; undefined if it no longer exists or was recreated with a different UID. */
  async #current(node: GraphNode): Promise<KubeObject | undefined> {
    try {
      const object = await this.#client.metadata(node.type).get(node.name, inNamespace(node));
      return object.metadata.uid === node.uid ? object : undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #delete(
    node: GraphNode,
    { metadata }: KubeObject,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<void> {
    const preconditions = {
      uid: node.uid,
      ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
    };
    this.#log.info(
      { resource: node.type.plural, ...inNamespace(node), name: node.name, propagationPolicy },
      'collecting',
    );
    try {
      await this.#client.metadata(node.type).delete(node.name, {
        ...inNamespace(node),
        ...preconditions,
        propagationPolicy,
      });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  async #dropReferences(node: GraphNode, owners: ReadonlySet<string>): Promise<void> {
    const object = await this.#current(node);
    const references = object?.metadata.ownerReferences ?? [];
    const left = references.filter(({ uid }) => !owners.has(uid));
    if (object && left.length < references.length) await this.#patchReferences(node, object, left);
  }

  async #unblock(node: GraphNode, object: KubeObject): Promise<void> {
    const references = object.metadata.ownerReferences ?? [];
    const unblocked = references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    const patched = await this.#patchReferences(node, object, unblocked);
    object.metadata = patched?.metadata ?? object.metadata;
  }

  async #patchReferences(
    node: GraphNode,
    { metadata }: KubeObject,
    references: readonly OwnerReference[],
  ): Promise<KubeObject | undefined> {
    const client: ResourceClient<KubeObject> = this.#client.metadata(node.type);
    const ownerReferences = references.length > 0 ? references : null;
    const value = { metadata: { uid: node.uid, resourceVersion: metadata.resourceVersion, ownerReferences } };
    try {
      return await client.patch(node.name, { type: 'merge', value }, inNamespace(node));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #reportInvalid(node: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): void {
    const object: KubeObject = {
      apiVersion: apiVersionOf(node.type),
      kind: node.type.kind,
      metadata: { name: node.name, ...inNamespace(node), uid: node.uid },
    };
    const owner = `[${apiVersion}/${kind}, namespace: ${node.namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(node.namespace)}`;
    this.#recorder.warning(object, 'OwnerRefInvalidNamespace', message);
  }
}

function inNamespace({ namespace }: GraphNode): { namespace?: string } {
  return namespace === '' ? {} : { namespace };
}

function isBlocking(dependent: GraphNode, owner: string): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true);
}

/** The policy with which to delete an object: a deletion that was started with a policy continues with it. */
function policyOf({ metadata }: KubeObject): 'Background' | 'Foreground' | 'Orphan' {
  if (metadata.finalizers?.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return metadata.finalizers?.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
