import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { EventDeduplicator, TenantEvents, type TenantEventsOptions, withKind } from '../tenant-events.ts';

/**
 * Records Events about volumes in tenants' clusters, with the driver as source. Unchanged Events are repeated twice an
 * hour.
 */
export class StorageEvents {
  readonly #events: TenantEvents;
  readonly #recorded: EventDeduplicator;

  constructor({ component, clock, random, log }: TenantEventsOptions) {
    this.#recorded = new EventDeduplicator(clock);
    this.#events = new TenantEvents({ component, clock, random, log });
  }

  /** Records a normal Event about a cached object, which has no kind. */
  normal<T extends KubeObject>(
    tenant: TenantCluster,
    type: ResourceType<T>,
    object: T,
    reason: string,
    message: string,
  ): void {
    if (this.#recorded.shouldRecord(tenant, object, reason, message)) {
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
    if (this.#recorded.shouldRecord(tenant, object, reason, message)) {
      this.#events.of(tenant).warning(withKind(type, object), reason, message);
    }
  }
}
