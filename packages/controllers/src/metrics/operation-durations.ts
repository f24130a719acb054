import type { LastOperation } from '@fairway/api/kinds/status';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeObject } from '@fairway/kube/object/meta';
import { Histogram, type Registry } from 'prom-client';

interface ObjectWithOperation extends KubeObject {
  readonly status?: { readonly lastOperation?: LastOperation | undefined };
}

/** Ranges from a control plane restart to the creation of a large pool; most services promise a quarter of an hour. */
const BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

export interface OperationDurationsOptions {
  readonly registry: Registry;
  /** Whether this process is the one that reports these metrics. */
  readonly isReporting: () => boolean;
  readonly clock: Clock;
}

/**
 * How long operations took, from the objects' `status.lastOperation`. A creation starts with the object, a deletion
 * with its deletionTimestamp. Other operations start when this process observes them, and are not counted if they had
 * started before.
 */
export class OperationDurations {
  readonly #options: OperationDurationsOptions;
  readonly #durationSeconds: Histogram<'kind' | 'operation' | 'result'>;
  readonly #startedMs = new Map<string, number>();

  constructor(options: OperationDurationsOptions) {
    this.#options = options;
    this.#durationSeconds = new Histogram({
      name: 'fairway_operation_duration_seconds',
      help: 'Duration of operations on objects, by result; a creation ends when the object is Ready, a deletion when the object is gone.',
      labelNames: ['kind', 'operation', 'result'],
      buckets: BUCKETS,
      registers: [options.registry],
    });
  }

  follow<T extends ObjectWithOperation>(kind: string, informer: Informer<T>): void {
    informer.addHandler({
      onUpdate: (old, object) => this.#changed(kind, old, object),
      onDelete: (old) => this.#recordDeletion(kind, old),
    });
  }

  #changed(kind: string, old: ObjectWithOperation, object: ObjectWithOperation): void {
    const before = old.status?.lastOperation;
    const now = object.status?.lastOperation;
    const uid = object.metadata.uid ?? '';
    if (now === undefined || now === before) return;
    const isNew = before === undefined || isOver(before) || before.type !== now.type;
    if (!isOver(now)) {
      if (isNew) this.#startedMs.set(uid, this.#options.clock.now());
      return;
    }
    // If the operation had already ended, the status now describes a different one.
    if (before !== undefined && isOver(before) && before.type === now.type) return;
    const startedMs = now.type === 'Create' ? timeOf(object.metadata.creationTimestamp) : this.#startedMs.get(uid);
    this.#startedMs.delete(uid);
    this.#observe(kind, now.type, now.state, startedMs);
  }

  #recordDeletion(kind: string, old: ObjectWithOperation): void {
    this.#startedMs.delete(old.metadata.uid ?? '');
    this.#observe(kind, 'Delete', 'Succeeded', timeOf(old.metadata.deletionTimestamp));
  }

  #observe(kind: string, operation: string, result: string, startedMs: number | undefined): void {
    const { clock, isReporting } = this.#options;
    if (startedMs === undefined || !isReporting()) return;
    this.#durationSeconds.observe({ kind, operation, result }, Math.max(0, clock.now() - startedMs) / 1000);
  }
}

function isOver({ state }: LastOperation): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

function timeOf(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp);
}
