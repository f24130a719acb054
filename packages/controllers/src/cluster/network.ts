import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { invalidateNetworkLists, type ObservationOptions, observeNetwork } from './network-observation.ts';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, NetworkPlan, NetworkStep } from './network-state.ts';
import { invalidateAfterFailure, perform, subjectOf } from './network-steps.ts';

/** The maximum number of times that one pass plans; each time but the first follows a completed step. */
const MAX_PLANS = 32;

export interface NetworkWork {
  readonly signal: AbortSignal;
  readonly observation?: ObservationOptions;
  /** Called once, when nodes can start while the last steps are in progress; not called if nothing was left to do. */
  readonly onUsable?: (plan: NetworkPlan) => void;
}

/**
 * Creates the cluster's network as far as currently possible.
 *
 * **Expected flow.** Each step starts as soon as its dependencies exist, concurrently with those in progress: a router
 * takes ten times as long as the subnet that nodes start in. When a step ends, the current state is planned again; of
 * two steps with the same subject, the second waits. **Errors.** After a failure, no more steps start, and steps in
 * progress are awaited. If several fail, it rejects with the error of the step that started first, regardless of which
 * response arrived first: otherwise two lasting failures would alternate, and neither would back off. Rejects with
 * StillSettling while a create request with unknown outcome may still take effect.
 */
export async function ensureNetwork(
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: DesiredNetwork,
  { signal, observation, onUsable }: NetworkWork,
): Promise<NetworkPlan> {
  const startedSteps = new Map<string, Promise<void>>();
  let startedCount = 0;
  let ended = 0;
  const failures: { readonly order: number; readonly error: unknown }[] = [];
  const begin = (step: NetworkStep) => {
    const order = startedCount++;
    const subject = subjectOf(step);
    const work = perform(step, cloud, cluster, desired, signal)
      .catch((error: unknown) => {
        invalidateAfterFailure(cloud, step, error);
        failures.push({ order, error });
      })
      .then(() => {
        ended++;
        startedSteps.delete(subject);
      });
    startedSteps.set(subject, work);
  };
  // Resources named in a new spec may be newer than the lists.
  let mayBeStale = cluster.status?.observedGeneration !== cluster.metadata.generation;
  let isUsable = false;
  try {
    for (let plans = 1; failures.length === 0; plans++) {
      const endedBefore = ended;
      const observed = await observeNetwork(cloud, cluster, desired, observation);
      // Resources created by the step may be missing from the previous observation.
      if (ended > endedBefore) continue;
      const plan = planNetwork(desired, observed);
      if (plan.problem && mayBeStale) {
        mayBeStale = false;
        invalidateNetworkLists(cloud, desired.networkID ?? cluster.status?.network?.networkID);
        continue;
      }
      if (failures.length > 0) break;
      const next = plans >= MAX_PLANS ? [] : plan.steps.filter((step) => isFree(step, startedSteps));
      for (const step of next) begin(step);
      if (!isUsable && plan.nodesCanStart && startedSteps.size > 0) {
        isUsable = true;
        onUsable?.(plan);
      }
      if (startedSteps.size === 0) return plan;
      await Promise.race(startedSteps.values());
    }
  } catch (error) {
    // After a step fails, the state may be unknown: the next pass reports it.
    failures.push({ order: startedCount, error });
  }
  await Promise.all(startedSteps.values());
  throw failures.toSorted((a, b) => a.order - b.order)[0]?.error;
}

function isFree(step: NetworkStep, startedSteps: ReadonlyMap<string, unknown>): boolean {
  return !startedSteps.has(subjectOf(step));
}
