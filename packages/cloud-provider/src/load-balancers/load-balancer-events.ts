import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { EventDeduplicator, TenantEvents, type TenantEventsOptions, withKind } from '../tenant-events.ts';

interface EventSource {
  /** Source of the Events. */
  readonly component: string;
  /** The object that the Events are about. */
  readonly kind: ResourceType;
}

/** Records Events about load balancers in tenants' clusters. Unchanged Events are repeated twice an hour. */
export class LoadBalancerEvents {
  readonly #kind: ResourceType;
  readonly #events: TenantEvents;
  readonly #recorded: EventDeduplicator;

  constructor({ clock, random, log }: Omit<TenantEventsOptions, 'component'>, { component, kind }: EventSource) {
    this.#kind = kind;
    this.#events = new TenantEvents({ component, clock, random, log });
    this.#recorded = new EventDeduplicator(clock);
  }

  normal(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    this.#events.of(tenant).normal(withKind(this.#kind, object), reason, message);
  }

  /** Reports the beginning of a longer operation. */
  setOngoing(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    if (this.#recorded.shouldRecord(tenant, object, reason, message)) this.normal(tenant, object, reason, message);
  }

  /** `subject` distinguishes concurrent Events with the same reason. */
  warning(tenant: TenantCluster, object: KubeObject, reason: string, message: string, subject = ''): void {
    if (!this.#recorded.shouldRecord(tenant, object, reason, message, subject)) return;
    this.#events.of(tenant).warning(withKind(this.#kind, object), reason, message);
  }
}
