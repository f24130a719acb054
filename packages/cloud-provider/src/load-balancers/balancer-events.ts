import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantEvents, type TenantEventsOptions, ToldNews, withKind } from '../tenant-events.ts';

interface EventSource {
  /** Under which `kubectl describe` shows them. */
  readonly component: string;
  /** What they are about. */
  readonly kind: ResourceType;
}

/** Tells tenants, in their own clusters, what becomes of their load balancers. What stays the same is told twice an hour. */
export class BalancerEvents {
  readonly #kind: ResourceType;
  readonly #events: TenantEvents;
  readonly #told: ToldNews;

  constructor({ clock, random, log }: Omit<TenantEventsOptions, 'component'>, { component, kind }: EventSource) {
    this.#kind = kind;
    this.#events = new TenantEvents({ component, clock, random, log });
    this.#told = new ToldNews(clock);
  }

  normal(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    this.#events.of(tenant).normal(withKind(this.#kind, object), reason, message);
  }

  /** What goes on for a while is told when it begins. */
  ongoing(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    if (this.#told.isNews(tenant, object, reason, message)) this.normal(tenant, object, reason, message);
  }

  /** `subject` tells apart what may be told side by side for one reason. */
  warning(tenant: TenantCluster, object: KubeObject, reason: string, message: string, subject = ''): void {
    if (!this.#told.isNews(tenant, object, reason, message, subject)) return;
    this.#events.of(tenant).warning(withKind(this.#kind, object), reason, message);
  }
}
