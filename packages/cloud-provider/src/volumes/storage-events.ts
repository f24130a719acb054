import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantEvents, type TenantEventsOptions } from '../tenant-events.ts';
import { DRIVER } from './driver.ts';

/** The API server forgets events after an hour. */
const TELL_AGAIN_MS = 1_800_000;
const MAX_TOLD = 10_000;

/** Tells tenants, in their own clusters, what becomes of their volumes. What stays the same is told twice an hour. */
export class StorageEvents {
  readonly #clock: Clock;
  readonly #events: TenantEvents;
  readonly #told = new RecentMap<{ readonly text: string; readonly atMs: number }>(MAX_TOLD);

  constructor({ clock, random, log }: Omit<TenantEventsOptions, 'component'>) {
    this.#clock = clock;
    this.#events = new TenantEvents({ component: DRIVER, clock, random, log });
  }

  /** About an object of a cache, which holds no kind. */
  normal<T extends KubeObject>(
    tenant: TenantCluster,
    type: ResourceType<T>,
    object: T,
    reason: string,
    message: string,
  ): void {
    if (this.#isNews(tenant, object, reason, message)) {
      this.#events.of(tenant).normal(withKind(type, object), reason, message);
    }
  }

  warning<T extends KubeObject>(
    tenant: TenantCluster,
    type: ResourceType<T>,
    object: T,
    reason: string,
    message: string,
  ): void {
    if (this.#isNews(tenant, object, reason, message)) {
      this.#events.of(tenant).warning(withKind(type, object), reason, message);
    }
  }

  #isNews({ clusterUid }: TenantCluster, { metadata }: KubeObject, reason: string, text: string): boolean {
    const key = `${clusterUid}/${metadata.uid}/${reason}`;
    const told = this.#told.get(key);
    const nowMs = this.#clock.now();
    if (told?.text === text && nowMs < told.atMs + TELL_AGAIN_MS) return false;
    this.#told.set(key, { text, atMs: nowMs });
    return true;
  }
}

function withKind<T extends KubeObject>(type: ResourceType<T>, { metadata }: T): KubeObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}
