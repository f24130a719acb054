import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { plans } from '@fairway/api/kinds/plan';
import { keyOf as objectKey } from '@fairway/kube/client/object-key';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Service } from '@fairway/kube/kinds/generated/types';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { clustersByIdentity, clustersByPlan, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies, Declaration } from '../dependencies.ts';
import { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { LoadBalancerWatch } from '../load-balancers/load-balancer-watch.ts';
import { LoadBalancerRecovery } from '../load-balancers/recovery.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { TreeMemory } from '../load-balancers/tree-memory.ts';
import { BarbicanCertificates } from '../tls/barbican-certificates.ts';
import { TenantSecrets } from '../tls/tenant-secrets.ts';
import { PolicyLists } from './policy-lists.ts';

/** Common parts of the controller declarations for layer-7 load balancers. */
export const ROUTED_CONTROLLER = {
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
    { type: plans, verbs: READ },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(cache.clusters, clustersByPlan),
    indexOn(cache.machines, machinesByCluster),
  ],
} as const satisfies Partial<Declaration>;

interface RoutedKind<T extends KubeObject> {
  /** The kind that owns the load balancers. */
  readonly kind: ResourceType<T>;
  /** Plural, for messages. */
  readonly plural: string;
  /** Component under which `kubectl describe` shows events. */
  readonly component: string;
  /** Keys of the apparent owner of a load balancer; the actual owner is known only once its project is known. */
  readonly keysOf: (loadBalancer: LoadBalancer) => readonly string[];
}

/** Dependencies of the reconcilers. */
export function routedComponents<T extends KubeObject>(
  shared: CloudProviderDependencies,
  enqueue: (key: string) => void,
  { kind, plural, component, keysOf }: RoutedKind<T>,
) {
  const { attempts } = shared;
  const memory = new TreeMemory();
  return {
    ...shared,
    watch: new LoadBalancerWatch(enqueue, keysOf),
    memory,
    policies: new PolicyLists(memory),
    recovery: new LoadBalancerRecovery(attempts, memory),
    events: new LoadBalancerEvents(shared, { component, kind }),
    certificates: new BarbicanCertificates(),
    secrets: new TenantSecrets({
      ...shared,
      users: plural,
      changed(key) {
        // A changed Secret resets the backoff from earlier failures.
        attempts.retryNow((item) => item === key);
        enqueue(key);
      },
    }),
  };
}

/** Indexed by `namespace/name` of the Services that requests are sent to. */
export function watchBackends(tenant: TenantCluster, changed: (key: string) => void): void {
  const onChange = (service: Service) => changed(objectKey(service));
  servicesOf(tenant).addHandler({
    onAdd: onChange,
    onUpdate(old, service) {
      const hasNewPorts = !isDeepStrictEqual(old.spec.ports, service.spec.ports);
      if (hasNewPorts || old.spec.externalTrafficPolicy !== service.spec.externalTrafficPolicy) onChange(service);
    },
    onDelete: onChange,
  });
}
