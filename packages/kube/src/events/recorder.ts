import { type Clock, formatTime, systemClock } from '@fairway/base/clock';
import { runUnder } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { KubeClient } from '../client/kube-client.ts';
import { keyOf } from '../client/object-key.ts';
import { TransportError } from '../client/transport.ts';
import type { Event, ObjectReference } from '../kinds/generated/types.ts';
import { Events } from '../kinds/resources.ts';
import { ApiError, isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import { type CorrelatedEvent, EventCorrelator } from './event-correlator.ts';

export interface EventRecorderOptions {
  /** Who speaks: `kubectl describe` shows it under "From". */
  readonly component: string;
  /** Which of its processes: a pod or host name. */
  readonly instance?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

interface Occurred {
  readonly reference: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly atMs: number;
}

const MAX_WAITING = 1000;
const MAX_ATTEMPTS = 4;
const RETRY_MS = 1_000;
const MAX_MESSAGE_LENGTH = 1024;

/**
 * Tells people what happened to an object, as core/v1 Events that `kubectl describe` lists.
 *
 * Guarantees: returns at once and never throws; equal events count up one Event; a noisy object is cut short.
 * Caveats: events are told on a best effort; while the API server is away the oldest thousand wait, the rest is dropped.
 */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Logger;
  readonly #correlator = new EventCorrelator();
  readonly #waiting: Occurred[] = [];
  #sequence: number;
  #telling: Promise<void> | undefined;

  constructor(client: KubeClient, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#log = options.log ?? silentLogger;
    this.#sequence = Math.floor(this.#random() * 2 ** 24);
  }

  /** Something went as it should. `reason` is one CamelCase word, `message` a sentence. */
  normal(object: KubeObject, reason: string, message: string): void {
    this.#record(referenceTo(object), 'Normal', reason, message);
  }

  /** Something is wrong. */
  warning(object: KubeObject, reason: string, message: string): void {
    this.#record(referenceTo(object), 'Warning', reason, message);
  }

  /** Resolves when what was recorded so far has been told or given up. */
  async flushed(): Promise<void> {
    await this.#telling;
  }

  #record(reference: ObjectReference, type: Occurred['type'], reason: string, message: string): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#log.warn({ reason, object: reference.name }, 'event dropped, too many wait');
      return;
    }
    this.#waiting.push({ reference, type, reason, message, atMs: this.#clock.now() });
    // For whoever comes next too: under no one's grant.
    this.#telling ??= runUnder(undefined, () => this.#tellAll()).finally(() => {
      this.#telling = undefined;
    });
  }

  async #tellAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        await this.#tell(next);
      } catch (error) {
        this.#log.debug({ err: error, reason: next.reason, object: next.reference.name }, 'event not told');
      }
    }
  }

  async #tell(occurred: Occurred): Promise<void> {
    const { reference, type, reason, message, atMs } = occurred;
    const { uid, kind, namespace, name } = reference;
    const object = uid ?? `${kind}/${namespace}/${name}`;
    const event = this.#correlator.correlate({ object, type, reason, message }, atMs);
    if (!event) return;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#correlator.told(event, await this.#write(occurred, event));
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isPassing(error)) throw error;
        await this.#clock.sleep(RETRY_MS * 2 ** attempt * (0.5 + this.#random() / 2));
      }
    }
  }

  /** Counts up the Event that is there, or creates one. Resolves with its name. */
  async #write(occurred: Occurred, event: CorrelatedEvent): Promise<string> {
    const events = this.#client.resource(Events);
    // Events of cluster-scoped objects live in the namespace "default".
    const namespace = occurred.reference.namespace ?? 'default';
    if (event.name !== undefined) {
      const value = { count: event.count, message: cut(event.message), lastTimestamp: formatTime(occurred.atMs) };
      try {
        await events.patch(event.name, { type: 'merge', value }, { namespace });
        return event.name;
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    const name = this.#nameFor(occurred);
    await events.create(this.#eventOf(occurred, event, name, namespace));
    return name;
  }

  #eventOf(
    { reference, type, reason, atMs }: Occurred,
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
      message: cut(event.message),
      count: event.count,
      firstTimestamp: formatTime(event.firstMs),
      lastTimestamp: formatTime(atMs),
      source: { component, ...(instance !== undefined && { host: instance }) },
      reportingComponent: component,
      reportingInstance: instance ?? '',
    };
  }

  /** Unlike all others: by the time, and a number that counts on from a random one. */
  #nameFor({ reference, atMs }: Occurred): string {
    this.#sequence = (this.#sequence + 1) % 2 ** 24;
    const suffix = `${atMs.toString(16)}${this.#sequence.toString(16).padStart(6, '0')}`;
    return `${(reference.name ?? '').slice(0, 253 - suffix.length - 1)}.${suffix}`;
  }
}

/** What an Event says of the object it is about. The object must say its kind, as those of informers and servers do. */
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

/** Whether trying again may help: no answer, or one that says "later". */
function isPassing(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof ApiError && (error.code >= 500 || error.code === 429));
}

function cut(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 3)}...` : message;
}
