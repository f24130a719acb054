import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantEvents, type TenantEventsOptions, ToldNews, withKind } from '../tenant-events.ts';

/** Tells tenants, in their own clusters, what becomes of their volumes, by the name of the driver. What stays the same is told twice an hour. */
export class StorageEvents {
  readonly #events: TenantEvents;
  readonly #told: ToldNews;

  constructor({ component, clock, random, log }: TenantEventsOptions) {
    this.#told = new ToldNews(clock);
    this.#events = new TenantEvents({ component, clock, random, log });
  }

  /** About an object of a cache, which holds no kind. */
  normal<T extends KubeObject>(
    tenant: TenantCluster,
    type: ResourceType<T>,
    object: T,
    reason: string,
    message: string,
  ): void {
    if (this.#told.isNews(tenant, object, reason, message)) {
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
    if (this.#told.isNews(tenant, object, reason, message)) {
      this.#events.of(tenant).warning(withKind(type, object), reason, message);
    }
  }
}
