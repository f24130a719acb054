import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { RecentMap } from '@fairway/base/recent-map';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** The API server forgets events after an hour. */
const TELL_AGAIN_MS = 1_800_000;
const MAX_TOLD = 20_000;

interface EventOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

interface EventSource {
  /** Under which `kubectl describe` shows them. */
  readonly component: string;
  /** What they are about. */
  readonly kind: ResourceType;
}

/** Tells tenants, in their own clusters, what becomes of their load balancers. What stays the same is told twice an hour. */
export class BalancerEvents {
  readonly #options: EventOptions;
  readonly #source: EventSource;
  readonly #recorders = new WeakMap<TenantCluster, EventRecorder>();
  readonly #told = new RecentMap<{ readonly message: string; readonly atMs: number }>(MAX_TOLD);

  constructor({ clock, random, log }: EventOptions, source: EventSource) {
    this.#options = { clock, random, log };
    this.#source = source;
  }

  normal(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    this.#of(tenant).normal(this.#withKind(object), reason, message);
  }

  /** What goes on for a while is told when it begins. */
  ongoing(tenant: TenantCluster, object: KubeObject, reason: string, message: string): void {
    if (this.#isNews(tenant, object, reason, '', message)) this.normal(tenant, object, reason, message);
  }

  /** `subject` tells apart what may be told side by side for one reason. */
  warning(tenant: TenantCluster, object: KubeObject, reason: string, message: string, subject = ''): void {
    if (!this.#isNews(tenant, object, reason, subject, message)) return;
    this.#of(tenant).warning(this.#withKind(object), reason, message);
  }

  #isNews(
    { clusterUid }: TenantCluster,
    { metadata }: KubeObject,
    reason: string,
    subject: string,
    message: string,
  ): boolean {
    const key = `${clusterUid}/${metadata.uid}/${reason}/${subject}`;
    const told = this.#told.get(key);
    const nowMs = this.#options.clock.now();
    if (told?.message === message && nowMs < told.atMs + TELL_AGAIN_MS) return false;
    this.#told.set(key, { message, atMs: nowMs });
    return true;
  }

  #of(tenant: TenantCluster): EventRecorder {
    const known = this.#recorders.get(tenant);
    if (known) return known;
    const recorder = new EventRecorder(tenant.client, { component: this.#source.component, ...this.#options });
    this.#recorders.set(tenant, recorder);
    return recorder;
  }

  /** Caches hold no kind. */
  #withKind({ metadata }: KubeObject): KubeObject {
    const { kind } = this.#source;
    return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  }
}
