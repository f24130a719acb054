import { createHash } from 'node:crypto';
import { type Clock, formatTime, systemClock } from '@fairway/base/clock';
import { FairQueue } from '@fairway/base/fair-queue';
import { runUnderGrant } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import { truncate } from '@fairway/base/truncate';
import type { KubeClient } from '../client/kube-client.ts';
import { keyOf } from '../client/object-key.ts';
import { TransportError } from '../client/transport.ts';
import type { Event, ObjectReference } from '../kinds/generated/types.ts';
import { Events } from '../kinds/resources.ts';
import { ApiError, isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import { type CorrelatedEvent, EventCorrelator } from './event-correlator.ts';

export interface EventRecorderOptions {
  /** Reporting component: `kubectl describe` shows it under "From". */
  readonly component: string;
  /** Reporting instance: a pod or host name. */
  readonly instance?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

interface QueuedEvent {
  readonly reference: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly atMs: number;
}

const MAX_QUEUED_EVENTS = 10_000;
/** Per namespace: a namespace that exceeds it loses only its own events. */
const MAX_QUEUED_PER_NAMESPACE = 1_000;
const MAX_ATTEMPTS = 4;
const RETRY_MS = 1_000;

/**
 * Records what happened to an object as core/v1 Events, which `kubectl describe` lists.
 *
 * Guarantees: returns immediately and never throws. Equal events increment one Event, and a noisy object is
 * rate-limited. Namespaces are served in turn, so one with many events delays and drops only its own. Caveats: best
 * effort; while the API server is unavailable, the oldest thousand events of a namespace are queued and the rest are
 * dropped.
 */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Logger;
  readonly #correlator = new EventCorrelator();
  readonly #waiting = new FairQueue<QueuedEvent>();
  /** Queued events by namespace. */
  readonly #counts = new Map<string, number>();
  #sequence: number;
  #writing: Promise<void> | undefined;

  constructor(client: KubeClient, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#log = options.log ?? silentLogger;
    this.#sequence = Math.floor(this.#random() * 2 ** 24);
  }

  /** Records a Normal event. `reason` is one CamelCase word, `message` a sentence. */
  normal(object: KubeObject, reason: string, message: string): void {
    this.#record(referenceTo(object), 'Normal', reason, message);
  }

  /** Records a Warning event. */
  warning(object: KubeObject, reason: string, message: string): void {
    this.#record(referenceTo(object), 'Warning', reason, message);
  }

  /**
   * Records an event at most once: `id` distinguishes it from all others on the object. Resolves when the event is
   * stored, now or earlier, because callers may crash between this call and recording its success. Rejects if a retry
   * may help; events that the API server rejects permanently are dropped.
   */
  async once(
    object: KubeObject,
    type: 'Normal' | 'Warning',
    { reason, message, id }: { readonly reason: string; readonly message: string; readonly id: string },
  ): Promise<void> {
    const reference = referenceTo(object);
    const atMs = this.#clock.now();
    const event = { key: id, message, count: 1, firstMs: atMs, name: undefined };
    const suffix = createHash('sha256').update(`${reference.uid} ${id}`).digest('hex').slice(0, 16);
    const name = `${(reference.name ?? '').slice(0, 253 - suffix.length - 1)}.${suffix}`;
    const namespace = reference.namespace ?? 'default';
    try {
      await this.#client
        .resource(Events)
        .create(this.#eventOf({ reference, type, reason, message, atMs }, event, name, namespace));
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return;
      // A token that has just expired is reread.
      if (isTransient(error) || isApiError(error, 'Unauthorized')) throw error;
      this.#log.debug({ err: error, reason, object: reference.name }, 'event not written');
    }
  }

  /** Resolves when everything recorded so far has been written or dropped. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  #record(reference: ObjectReference, type: QueuedEvent['type'], reason: string, message: string): void {
    const { namespace = '' } = reference;
    const count = this.#counts.get(namespace) ?? 0;
    if (this.#waiting.size >= MAX_QUEUED_EVENTS || count >= MAX_QUEUED_PER_NAMESPACE) {
      this.#log.warn({ reason, object: reference.name }, 'event dropped, queue is full');
      return;
    }
    this.#counts.set(namespace, count + 1);
    this.#waiting.add(namespace, { reference, type, reason, message, atMs: this.#clock.now() });
    // All callers share the queue, so it runs without a caller's grant.
    this.#writing ??= runUnderGrant(undefined, () => this.#writeAll()).finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) {
      this.#release(next.reference.namespace);
      try {
        await this.#deliver(next);
      } catch (error) {
        this.#log.debug({ err: error, reason: next.reason, object: next.reference.name }, 'event not written');
      }
    }
  }

  #release(namespace = ''): void {
    this.#waiting.done(namespace);
    const remaining = (this.#counts.get(namespace) ?? 1) - 1;
    if (remaining > 0) this.#counts.set(namespace, remaining);
    else this.#counts.delete(namespace);
  }

  async #deliver(queuedEvent: QueuedEvent): Promise<void> {
    const { reference, type, reason, message, atMs } = queuedEvent;
    const { uid, kind, namespace, name } = reference;
    const object = uid ?? `${kind}/${namespace}/${name}`;
    const event = this.#correlator.correlate({ object, type, reason, message }, atMs);
    if (!event) return;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#correlator.recorded(event, await this.#write(queuedEvent, event));
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
        await this.#clock.sleep(RETRY_MS * 2 ** attempt * (0.5 + this.#random() / 2));
      }
    }
  }

  /** Increments the existing Event, or creates one. Resolves with its name. */
  async #write(queuedEvent: QueuedEvent, event: CorrelatedEvent): Promise<string> {
    const events = this.#client.resource(Events);
    // Events for cluster-scoped objects live in the "default" namespace.
    const namespace = queuedEvent.reference.namespace ?? 'default';
    if (event.name !== undefined) {
      const value = {
        count: event.count,
        message: truncate(event.message),
        lastTimestamp: formatTime(queuedEvent.atMs),
      };
      try {
        await events.patch(event.name, { type: 'merge', value }, { namespace });
        return event.name;
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    const name = this.#nameFor(queuedEvent);
    await events.create(this.#eventOf(queuedEvent, event, name, namespace));
    return name;
  }

  #eventOf(
    { reference, type, reason, atMs }: QueuedEvent,
    event: CorrelatedEvent,
    name: string,
    namespace: string,
  ): Event {
    const { component, instance } = this.#options;
    return {
      metadata: { name, namespace },
      involvedObject: reference,
      type,
      reason,
      message: truncate(event.message),
      count: event.count,
      firstTimestamp: formatTime(event.firstMs),
      lastTimestamp: formatTime(atMs),
      source: { component, ...(instance !== undefined && { host: instance }) },
      reportingComponent: component,
      reportingInstance: instance ?? '',
    };
  }

  /** A unique name made from the time and a counter with a random start. */
  #nameFor({ reference, atMs }: QueuedEvent): string {
    this.#sequence = (this.#sequence + 1) % 2 ** 24;
    const suffix = `${atMs.toString(16)}${this.#sequence.toString(16).padStart(6, '0')}`;
    return `${(reference.name ?? '').slice(0, 253 - suffix.length - 1)}.${suffix}`;
  }
}

/**
 * The involvedObject of an Event. The object must have apiVersion and kind, as objects from informers and servers do.
 */
export function referenceTo(object: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    ...(object.apiVersion !== undefined && { apiVersion: object.apiVersion }),
    kind: object.kind ?? '',
    name: name ?? keyOf(object),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** Whether a retry may help: there was no response, or one that requests a later retry. */
function isTransient(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof ApiError && (error.code >= 500 || error.code === 429));
}
