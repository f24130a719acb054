import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { RecentMap } from '@fairway/base/recent-map';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

export interface TenantEventsOptions {
  /** Who tells them. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Recorders of Events in tenants' clusters; one ends with its connection. */
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

/** The API server forgets events after an hour. */
const TELL_AGAIN_MS = 1_800_000;
const MAX_TOLD = 20_000;

/** What tenants have been told of their objects: what stays the same is news twice an hour. */
export class ToldNews {
  readonly #clock: Clock;
  readonly #told = new RecentMap<{ readonly text: string; readonly atMs: number }>(MAX_TOLD);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to tell it; then it is told. `subject` tells apart what may be told side by side for one reason. */
  isNews({ clusterUid }: TenantCluster, { metadata }: KubeObject, reason: string, text: string, subject = ''): boolean {
    const key = `${clusterUid}/${metadata.uid}/${reason}/${subject}`;
    const told = this.#told.get(key);
    const nowMs = this.#clock.now();
    if (told?.text === text && nowMs < told.atMs + TELL_AGAIN_MS) return false;
    this.#told.set(key, { text, atMs: nowMs });
    return true;
  }
}

/** An object of a cache, which holds no kind, as events refer to it. */
export function withKind(type: ResourceType, { metadata }: KubeObject): KubeObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}

/** Caches hold no kind. */
export function asNode({ metadata }: TenantNode): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata };
}
