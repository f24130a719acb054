import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { EventRecorder } from '@fairway/kube/events/recorder';
import type { KubeObject } from '@fairway/kube/object/meta';
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

/** Caches hold no kind. */
export function asNode({ metadata }: TenantNode): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata };
}
