import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import type { CacheIndex } from '../client/object-cache.ts';
import type { ObjectSource } from '../client/object-source.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { Controller, type MapToKeys, type WatchSourceOptions } from './controller.ts';
import type { KeyOwner } from './key-owner.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { Reconcile } from './result.ts';
import type { Right } from './rights.ts';

/**
 * The declaration of a controller, in the file next to its reconciler. `Shared` is what all controllers of a process
 * share: caches, clients, clouds, the clock.
 */
export interface ControllerDeclaration<Shared> {
  /** The name of the controller in logs and metrics: lower case, unique within the process. */
  readonly name: string;
  /** Maximum number of keys processed at a time. */
  readonly concurrency: number;
  /** The RBAC permissions that its reconciler, watches and indexes need on the shared client's API. */
  readonly rights: readonly Right[];
  /** The cache indexes that its watches and reconciler use; several controllers may declare the same one. */
  readonly indexes?: (shared: Shared) => readonly Index[];
  /** Sources of keys. */
  readonly watches: (shared: Shared) => readonly Watch[];
  /** As in ControllerOptions. */
  readonly ownerKey?: (key: string, shared: Shared) => string | undefined;
  /**
   * Creates the reconciler; called once per process. `enqueue` is for sources that the reconciler itself opens and
   * closes while running.
   */
  readonly create: (shared: Shared, enqueue: (key: string) => void) => Work;
  /**
   * Subscribes to sources other than the API server's caches, such as a cloud's lists or the nodes of tenants'
   * clusters; called once, before startup.
   */
  readonly listen?: (enqueue: (key: string) => void, shared: Shared) => void;
}

/** The functions of a created controller. */
export interface Work {
  readonly reconcile: Reconcile;
  /** Drops the state of keys that another process has taken over; called with the owner's keys. */
  readonly forget?: (isMatching: (ownerKey: string) => boolean) => void;
}

/** An index of a cache; see `indexOn`. */
export interface Index {
  add(): void;
}

/** A source of keys; see `watch`. */
export interface Watch {
  /** The kind that is watched. */
  readonly type: ResourceType;
  addTo(controller: Controller): void;
}

/** Declares an index on a cache; an existing one is reused. */
export function indexOn<T extends KubeObject>(source: ObjectSource<T>, index: CacheIndex<T>): Index {
  return { add: () => source.addIndex(index.name, index.valuesOf) };
}

/** Like `Controller.watch`. */
export function watch<T extends KubeObject>(
  source: ObjectSource<T>,
  mapToKeys?: MapToKeys<T>,
  options?: WatchSourceOptions<T>,
): Watch {
  return { type: source.type, addTo: (controller) => void controller.watch(source, mapToKeys, options) };
}

/** Options in addition to those that all controllers share. */
export interface StartOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  readonly tracer?: Tracer | undefined;
  /** Which keys this process owns; all of them by default. */
  readonly owner?: KeyOwner | undefined;
  /** As in ControllerOptions. */
  readonly requestAnnotations?: readonly string[];
}

/** The first retry comes soon; after many failures there is one every few minutes, unless a user requests one. */
const BACKOFF = { baseMs: 1_000, maxMs: 300_000 };

/** Creates controllers from their declarations, in this order, for a manager to run. */
export function declaredControllers<Shared>(
  declarations: readonly ControllerDeclaration<Shared>[],
  shared: Shared,
  { owner, ...options }: StartOptions,
): Controller[] {
  return declarations.map((declaration) => {
    for (const index of declaration.indexes?.(shared) ?? []) index.add();
    const { ownerKey } = declaration;
    const { reconcile, forget } = declaration.create(shared, (key) => controller.enqueue(key));
    const controller: Controller = new Controller({
      ...options,
      name: declaration.name,
      concurrency: declaration.concurrency,
      backoff: BACKOFF,
      reconcile,
      ...(owner && { owner }),
      ...(ownerKey && { ownerKey: (key) => ownerKey(key, shared) }),
      ...(forget && { release: forget }),
    });
    for (const source of declaration.watches(shared)) source.addTo(controller);
    declaration.listen?.((key) => controller.enqueue(key), shared);
    return controller;
  });
}
