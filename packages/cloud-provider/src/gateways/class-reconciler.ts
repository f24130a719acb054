import { identityOf } from '@fairway/api/identity';
import { isPaused } from '@fairway/api/pause';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { no, trueState } from './conditions.ts';
import { type GatewayClass, GatewayClasses } from './kinds.ts';
import { CONTROLLER, TenantGateways } from './tenant-gateways.ts';

/** Reports whether Fairway's GatewayClasses are accepted. */
export class ClassReconciler {
  readonly #dependencies: CloudProviderDependencies;

  constructor(dependencies: CloudProviderDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key`: the cluster's UID and the name of the class. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, tenants } = this.#dependencies;
    const slash = key.indexOf('/');
    const tenant = tenants.get(key.slice(0, slash));
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || cluster === undefined) return {};
    const isSkipped = identityOf(cluster) !== tenant.clusterUid || cluster.metadata.deletionTimestamp !== undefined;
    const found = TenantGateways.of(tenant, this.#dependencies).classes?.get(key.slice(slash + 1));
    if (isSkipped || isPaused(cluster) || found?.controllerName !== CONTROLLER) return {};
    const conditions = acceptedConditions(found, clock.now());
    if (conditions === found.conditions) return {};
    const pass = new Pass(context, clock);
    await pass.run(() =>
      attempts.withBackoff({ kind: 'status of GatewayClass', item: key }, async () => {
        const { name = '', uid } = found.metadata;
        const value = { metadata: { uid }, status: { conditions } };
        const client = tenant.client.resource(GatewayClasses);
        const options = { signal: pass.signal, subresource: 'status' };
        await wrapTenantError(ignoreDeleted(client.patch(name, { type: 'merge', value }, options)));
      }),
    );
    return pass.end();
  }
}

/** Returns the same list if the condition does not change. */
function acceptedConditions({ metadata, hasParameters, conditions }: GatewayClass, nowMs: number) {
  const state = hasParameters
    ? no({ reason: 'InvalidParameters', message: 'spec.parametersRef is not supported' })
    : trueState('Accepted', 'Gateways of this class are served by Octavia load balancers');
  return setCondition(conditions, { ...state, type: 'Accepted', observedGeneration: metadata.generation ?? 0 }, nowMs);
}
