import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { WebhookCaller } from '../outbound/webhook-caller.ts';
import type { Definitions } from '../schema/schema.ts';
import type { Change, Store } from '../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import { EventLog } from './event-log.ts';
import type { Registry } from './registry.ts';
import type { Traffic } from './traffic.ts';
import { WatchHub } from './watch-hub.ts';

export interface CoreOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly admission: readonly AdmissionPlugin[];
  readonly watchCacheSize: number;
  readonly watchCacheBytes: number;
  readonly bookmarkMs: number;
  readonly traffic: Traffic;
  /** Converts custom resources. */
  readonly webhookCaller: WebhookCaller | undefined;
}

const MAX_LOG_AGE_MS = 10 * 60_000;

/** The state shared by the verbs of one server. */
export class Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly admission: readonly AdmissionPlugin[];
  readonly events: EventLog;
  readonly watchers: WatchHub;
  readonly traffic: Traffic;
  readonly webhookCaller: WebhookCaller | undefined;
  /** The revision of the latest change in each bucket. */
  readonly bucketRevisions = new Map<string, number>();
  readonly #observers: ((changes: readonly Change[]) => void)[] = [];
  readonly #unsubscribe: () => void;

  constructor(options: CoreOptions) {
    this.store = options.store;
    this.registry = options.registry;
    this.definitions = options.definitions;
    this.clock = options.clock;
    this.random = options.random;
    this.log = options.log;
    this.admission = options.admission;
    this.traffic = options.traffic;
    this.webhookCaller = options.webhookCaller;
    this.events = new EventLog(options.store.revision, {
      maxEvents: options.watchCacheSize,
      maxBytes: options.watchCacheBytes,
      maxAgeMs: MAX_LOG_AGE_MS,
    });
    this.watchers = new WatchHub(options.clock, options.bookmarkMs);
    this.#unsubscribe = options.store.subscribe((changes) => this.#publish(changes));
  }

  /** Waits until the current state is durable. */
  async settled(): Promise<void> {
    await this.store.settled();
  }

  /** Calls `observer` with changes once they are durable, before watches and writers learn of them. */
  observe(observer: (changes: readonly Change[]) => void): void {
    this.#observers.push(observer);
  }

  close(): void {
    this.watchers.finish();
    this.#unsubscribe();
  }

  #publish(changes: readonly Change[]): void {
    const nowMs = this.clock.now();
    for (const observer of this.#observers) observer(changes);
    for (const change of changes) {
      this.events.push(change, nowMs);
      this.bucketRevisions.set(change.bucket, change.entry.revision);
      this.watchers.publish(change);
    }
  }
}
