import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { invalidateNetworkLists, type ObservationOptions, observeNetwork } from './network-observation.ts';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, NetworkPlan, NetworkStep } from './network-state.ts';
import { invalidateAfterFailure, perform, subjectOf } from './network-steps.ts';

/** How often one pass plans; each time but the first because a step has ended. */
const MAX_PLANS = 32;

export interface NetworkWork {
  readonly signal: AbortSignal;
  readonly observation?: ObservationOptions;
  /** Called once, when nodes can start while the last steps are in progress; not if nothing was left to do. */
  readonly onUsable?: (plan: NetworkPlan) => void;
}

/**
 * Creates the cluster's network as far as currently possible.
 *
 * **Expected flow.** Each step starts as soon as its dependencies exist, concurrently with those in progress: a router takes ten times as
 * long as the subnet that nodes start in. When a step ends, the current state is planned again; of two steps with one subject, the second
 * waits. **Errors.** After a failure nothing starts, and steps in progress are awaited. If several fail, it rejects with the error of the
 * step that started first, regardless of which response arrived first: otherwise two lasting failures would alternate, and neither would
 * back off. Rejects with StillSettling while a create with unknown outcome may still take effect.
 */
export async function ensureNetwork(
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: DesiredNetwork,
  { signal, observation, onUsable }: NetworkWork,
): Promise<NetworkPlan> {
  const underWay = new Map<string, Promise<void>>();
  let begun = 0;
  let ended = 0;
  const failures: { readonly order: number; readonly error: unknown }[] = [];
  const begin = (step: NetworkStep) => {
    const order = begun++;
    const subject = subjectOf(step);
    const work = perform(step, cloud, cluster, desired, signal)
      .catch((error: unknown) => {
        invalidateAfterFailure(cloud, step, error);
        failures.push({ order, error });
      })
      .then(() => {
        ended++;
        underWay.delete(subject);
      });
    underWay.set(subject, work);
  };
  // Resources named in a new spec may be newer than the lists.
  let isDoubtful = cluster.status?.observedGeneration !== cluster.metadata.generation;
  let isUsable = false;
  try {
    for (let plans = 1; failures.length === 0; plans++) {
      const endedBefore = ended;
      const observed = await observeNetwork(cloud, cluster, desired, observation);
      // Resources that it created may be missing from the previous observation.
      if (ended > endedBefore) continue;
      const plan = planNetwork(desired, observed);
      if (plan.problem && isDoubtful) {
        isDoubtful = false;
        invalidateNetworkLists(cloud, desired.networkID ?? cluster.status?.network?.networkID);
        continue;
      }
      if (failures.length > 0) break;
      const next = plans >= MAX_PLANS ? [] : plan.steps.filter((step) => isFree(step, underWay));
      for (const step of next) begin(step);
      if (!isUsable && plan.nodesCanStart && underWay.size > 0) {
        isUsable = true;
        onUsable?.(plan);
      }
      if (underWay.size === 0) return plan;
      await Promise.race(underWay.values());
    }
  } catch (error) {
    // After a step fails, the state may be unknown: the next pass reports it.
    failures.push({ order: begun, error });
  }
  await Promise.all(underWay.values());
  throw failures.toSorted((a, b) => a.order - b.order)[0]?.error;
}

function isFree(step: NetworkStep, underWay: ReadonlyMap<string, unknown>): boolean {
  return !underWay.has(subjectOf(step));
}
