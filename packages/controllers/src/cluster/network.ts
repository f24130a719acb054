import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { lookAfresh, observeNetwork } from './network-observation.ts';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, NetworkPlan, NetworkStep } from './network-state.ts';
import { lookAgain, perform } from './network-steps.ts';

/** Plan-and-execute rounds in one pass: network, subnet, attachment and rules depend on each other four deep. */
const MAX_ROUNDS = 8;

/**
 * Creates the cluster's network as far as currently possible.
 *
 * Rejects with the OpenStackError of a step that failed (others of its round were done) and with StillSettling while a create
 * with unknown outcome may still take effect.
 */
export async function ensureNetwork(
  cloud: ProjectCloud,
  cluster: Cluster,
  desired: DesiredNetwork,
  signal: AbortSignal,
): Promise<NetworkPlan> {
  // What a new spec names may be newer than the lists.
  let isDoubtful = cluster.status?.observedGeneration !== cluster.metadata.generation;
  for (let round = 1; ; round++) {
    const plan = planNetwork(desired, await observeNetwork(cloud, cluster, desired));
    if (plan.problem && isDoubtful) {
      isDoubtful = false;
      lookAfresh(cloud, desired.networkID ?? cluster.status?.network?.networkID);
      continue;
    }
    if (plan.steps.length === 0 || round === MAX_ROUNDS) return plan;
    const results = await Promise.allSettled(plan.steps.map((step) => perform(step, cloud, cluster, desired, signal)));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ step: plan.steps[index] as NetworkStep, error: result.reason as unknown }] : [],
    );
    for (const { step, error } of failures) lookAgain(cloud, step, error);
    const [first] = failures;
    if (first) throw first.error;
  }
}
