import {
  type Excess,
  enforceLimits,
  enforcementChangeDelayMs,
  type InClusterLimits,
} from '@fairway/api/limits/in-cluster';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { WaitingClaim } from './storage-creation.ts';
import type { StorageEvents } from './storage-events.ts';

/** How often to check for a plan that is not in the cache yet: it exists as long as clusters use it. */
export const UNKNOWN_PLAN_RETRY_MS = 60_000;
/** How often to check whether the plan now allows what it refused. */
const REFUSED_RETRY_MS = 900_000;

interface ClaimLimitDependencies extends Pick<CloudProviderDependencies, 'clock'> {
  readonly events: StorageEvents;
}

/** Whether the plan allows storage for a claim. Records Events about what it refuses or warns about. */
export function isClaimAllowed(
  { clock, events }: ClaimLimitDependencies,
  { tenant, claim }: WaitingClaim,
  { excesses, limits }: { readonly excesses: readonly Excess[]; readonly limits: InClusterLimits },
  pass: Pass,
): boolean {
  const { refusals, warnings } = enforceLimits(excesses, limits, clock.now());
  const [refusal] = refusals;
  if (refusal === undefined) {
    if (warnings.length > 0) {
      events.warning(tenant, PersistentVolumeClaims, claim, 'PlanLimitExceeded', warnings.join('; '));
    }
    return true;
  }
  events.warning(tenant, PersistentVolumeClaims, claim, 'ProvisioningFailed', refusal);
  pass.requeueAfter(REFUSED_RETRY_MS);
  pass.requeueAfter(enforcementChangeDelayMs(limits, clock.now()));
  return false;
}
