import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Informer } from '../client/informer.ts';
import type { CacheIndex } from '../client/object-cache.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { Controller, type MapToKeys, type WatchSourceOptions } from './controller.ts';
import type { KeyOwner } from './key-owner.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { Reconcile } from './result.ts';
import type { Right } from './rights.ts';

/**
 * A controller, as the file beside its reconciler declares it. `Shared` is what all controllers of a process have in common: caches,
 * clients, clouds, the clock.
 */
export interface ControllerDeclaration<Shared> {
  /** Names the controller in logs and metrics: lower case, unique in the process. */
  readonly name: string;
  /** Keys worked on at a time. */
  readonly concurrency: number;
  /** What its reconciler, watches and indexes do at the API that the shared client speaks to. */
  readonly rights: readonly Right[];
  /** The indexes that its watches and its reconciler look things up by; several controllers may declare the same one. */
  readonly indexes?: (shared: Shared) => readonly Index[];
  /** What tells that there may be work. */
  readonly watches: (shared: Shared) => readonly Watch[];
  /** As in ControllerOptions: the key by which the owner of keys knows a key of this controller. */
  readonly ownerKey?: (key: string, shared: Shared) => string | undefined;
  /** Makes the reconciler; called once in a process. */
  readonly create: (shared: Shared) => Work;
  /** Listens to what is no cache of that API, such as a cloud's lists or the nodes of tenants' clusters; called once, before the start. */
  readonly listen?: (enqueue: (key: string) => void, shared: Shared) => void;
}

/** What a declared controller does. */
export interface Work {
  readonly reconcile: Reconcile;
  /** Drops what is remembered of keys that are another process's from now on; told by the owner's keys. */
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

/** Says that `informer` has an index; one that is there already is as good. */
export function indexOn<T extends KubeObject>(informer: Informer<T>, index: CacheIndex<T>): Index {
  return { add: () => informer.addIndex(index.name, index.valuesOf) };
}

/** As `Controller.watch`. */
export function watch<T extends KubeObject>(
  informer: Informer<T>,
  mapToKeys?: MapToKeys<T>,
  options?: WatchSourceOptions<T>,
): Watch {
  return { type: informer.client.type, addTo: (controller) => void controller.watch(informer, mapToKeys, options) };
}

/** What the starter needs beside what the controllers share. */
export interface StartOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  /** Which keys are this process's; all of them unless given. */
  readonly owner?: KeyOwner | undefined;
  /** As in ControllerOptions. */
  readonly requestAnnotations?: readonly string[];
}

/** The first retry comes soon; what has failed for long costs a try every few minutes, unless a person asks. */
const BACKOFF = { baseMs: 1_000, maxMs: 300_000 };

/** Makes controllers of their declarations, in this order, for a manager to run. */
export function declaredControllers<Shared>(
  declarations: readonly ControllerDeclaration<Shared>[],
  shared: Shared,
  { owner, ...options }: StartOptions,
): Controller[] {
  return declarations.map((declaration) => {
    for (const index of declaration.indexes?.(shared) ?? []) index.add();
    const { ownerKey } = declaration;
    const { reconcile, forget } = declaration.create(shared);
    const controller = new Controller({
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
