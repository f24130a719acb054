import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { RecentMap } from '@fairway/base/recent-map';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

export interface TenantEventsOptions {
  /** Source of the Events. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Recorders of Events in tenants' clusters; each recorder ends with its cluster's connection. */
export class TenantEvents {
  readonly #options: TenantEventsOptions;
  readonly #recorders = new WeakMap<TenantCluster, EventRecorder>();

  constructor(options: TenantEventsOptions) {
    this.#options = options;
  }

  of(tenant: TenantCluster): EventRecorder {
    const known = this.#recorders.get(tenant);
    if (known) return known;
    const { component, clock, random, log } = this.#options;
    const recorder = new EventRecorder(tenant.client, {
      component,
      clock,
      random,
      log: log.child({ cluster: tenant.clusterKey }),
    });
    this.#recorders.set(tenant, recorder);
    return recorder;
  }
}

/** The API server deletes events after an hour. */
const EVENT_REPEAT_INTERVAL_MS = 1_800_000;
const MAX_REMEMBERED_EVENTS = 20_000;

/** Tracks the Events recorded for tenants' objects. Unchanged Events are repeated twice an hour. */
export class EventDeduplicator {
  readonly #clock: Clock;
  readonly #recorded = new RecentMap<{ readonly text: string; readonly atMs: number }>(MAX_REMEMBERED_EVENTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns whether to record an Event; if so, counts it as recorded. `subject` distinguishes concurrent Events with
   * the same reason.
   */
  shouldRecord(
    { clusterUid }: TenantCluster,
    { metadata }: KubeObject,
    reason: string,
    text: string,
    subject = '',
  ): boolean {
    const key = `${clusterUid}/${metadata.uid}/${reason}/${subject}`;
    const recorded = this.#recorded.get(key);
    const nowMs = this.#clock.now();
    if (recorded?.text === text && nowMs < recorded.atMs + EVENT_REPEAT_INTERVAL_MS) return false;
    this.#recorded.set(key, { text, atMs: nowMs });
    return true;
  }
}

/** The object that an Event refers to: cached objects have no kind, so it is added. */
export function withKind(type: ResourceType, { metadata }: KubeObject): KubeObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}

/** The Node that an Event refers to: cached objects have no kind, so it is added. */
export function asNode({ metadata }: TenantNode): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata };
}
