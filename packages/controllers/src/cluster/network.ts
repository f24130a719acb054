import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { lookAfresh, type NetworkLook, observeNetwork } from './network-observation.ts';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, NetworkPlan, NetworkStep } from './network-state.ts';
import { lookAgain, perform, subjectOf } from './network-steps.ts';

/** How often one pass plans; each time but the first because a step has ended. */
const MAX_PLANS = 32;

export interface NetworkWork {
  readonly signal: AbortSignal;
  readonly look?: NetworkLook;
  /** Called once, when nodes can start while the last steps are under way; not where nothing was left to do. */
  readonly onUsable?: (plan: NetworkPlan) => void;
}

/**
 * Creates the cluster's network as far as currently possible.
 *
 * **Expected flow.** Each step begins as soon as what it needs is there, beside those that are still under way: a router takes ten times as long as the
 * subnet that nodes start in. Whenever one ends, what is there now is planned again; of two steps with one subject the second waits.
 * **Errors.** After a failure nothing begins, and what is under way is awaited. Of several failures it rejects with that of the step that began first, whichever the cloud
 * told first: else two that last would take turns, and neither would rest. Rejects with StillSettling while a create with
 * unknown outcome may still take effect.
 */
export async function ensureNetwork(
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: DesiredNetwork,
  { signal, look, onUsable }: NetworkWork,
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
        lookAgain(cloud, step, error);
        failures.push({ order, error });
      })
      .then(() => {
        ended++;
        underWay.delete(subject);
      });
    underWay.set(subject, work);
  };
  // What a new spec names may be newer than the lists.
  let isDoubtful = cluster.status?.observedGeneration !== cluster.metadata.generation;
  let isUsable = false;
  try {
    for (let plans = 1; failures.length === 0; plans++) {
      const endedBefore = ended;
      const observed = await observeNetwork(cloud, cluster, desired, look);
      // What it has made may be missing from what was being looked at.
      if (ended > endedBefore) continue;
      const plan = planNetwork(desired, observed);
      if (plan.problem && isDoubtful) {
        isDoubtful = false;
        lookAfresh(cloud, desired.networkID ?? cluster.status?.network?.networkID);
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
    // After a step's failure, what is there may be unknown: that is told by the next pass.
    failures.push({ order: begun, error });
  }
  await Promise.all(underWay.values());
  throw failures.toSorted((a, b) => a.order - b.order)[0]?.error;
}

function isFree(step: NetworkStep, underWay: ReadonlyMap<string, unknown>): boolean {
  return !underWay.has(subjectOf(step));
}
