import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { RecentMap } from '@fairway/base/recent-map';
import { EventRecorder } from '@fairway/kube/events/recorder';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** Under which `kubectl describe` shows them, as those of other clouds' providers. */
const COMPONENT = 'service-controller';
/** The API server forgets events after an hour. */
const TELL_AGAIN_MS = 1_800_000;
const MAX_TOLD = 20_000;

/** Tells tenants, in their own clusters, what becomes of their load balancers. What stays the same is told twice an hour. */
export class ServiceEvents {
  readonly #options: { readonly clock: Clock; readonly random: () => number; readonly log: Logger };
  readonly #recorders = new WeakMap<TenantCluster, EventRecorder>();
  readonly #told = new RecentMap<{ readonly message: string; readonly atMs: number }>(MAX_TOLD);

  constructor({ clock, random, log }: { readonly clock: Clock; readonly random: () => number; readonly log: Logger }) {
    this.#options = { clock, random, log };
  }

  normal(tenant: TenantCluster, service: Service, reason: string, message: string): void {
    this.#of(tenant).normal(withKind(service), reason, message);
  }

  /** What goes on for a while is told when it begins. */
  ongoing(tenant: TenantCluster, service: Service, reason: string, message: string): void {
    if (this.#isNews(tenant, service, reason, '', message)) this.normal(tenant, service, reason, message);
  }

  /** `subject` tells apart what may be told side by side for one reason. */
  warning(tenant: TenantCluster, service: Service, reason: string, message: string, subject = ''): void {
    if (!this.#isNews(tenant, service, reason, subject, message)) return;
    this.#of(tenant).warning(withKind(service), reason, message);
  }

  #isNews(
    { clusterUid }: TenantCluster,
    { metadata }: Service,
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
    const recorder = new EventRecorder(tenant.client, { component: COMPONENT, ...this.#options });
    this.#recorders.set(tenant, recorder);
    return recorder;
  }
}

function withKind(service: Service): Service {
  return { ...service, apiVersion: 'v1', kind: Services.kind };
}
