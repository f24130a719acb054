import { ConditionReason } from '@fairway/api/conditions';
import { type AllowListName, allowanceProblem } from '@fairway/api/domain/plan-allowance';
import { planProblems } from '@fairway/api/domain/plan-problems';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import { sharedLimitsProblem } from '@fairway/api/limits/copied-limits';
import { refusalOf } from '@fairway/api/limits/notes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';

/**
 * Why nothing may be created for the cluster: its plan is not Ready, or does not allow its region or network. Admission
 * makes the same checks; this covers objects that bypassed it. A cluster that has been provisioned is unaffected.
 * Rejects with the cloud's error.
 */
export async function planRefusal(
  { spec }: Cluster,
  plan: Plan,
  {
    base,
    cloud,
    signal,
    nowMs,
  }: {
    /** The plan in its `limitsFrom`, if any. */
    readonly base: Plan | undefined;
    readonly cloud: ProjectCloud;
    readonly signal: AbortSignal;
    readonly nowMs: number;
  },
): Promise<Problem | undefined> {
  const broken =
    plan.metadata.deletionTimestamp === undefined
      ? (sharedLimitsProblem(plan, base) ?? planProblems(plan)[0])
      : 'it is being deleted';
  if (broken !== undefined) {
    const message = `spec.plan: plan "${plan.metadata.name}" is not Ready and accepts no clusters: ${broken}`;
    return { reason: ConditionReason.PlanNotReady, message };
  }
  const region = spec.region ?? (cloud.region === '' ? undefined : cloud.region);
  const { networkID } = spec.network;
  const { allowed } = plan.spec;
  const isNamed = networkID !== undefined && allowed?.networks !== undefined;
  const networks = isNamed ? await cloud.cache.networks.refreshAfter(0, signal) : undefined;
  const refusal = (field: string, listName: AllowListName, item: { readonly id: string; readonly name?: string }) => {
    const problem = allowanceProblem(plan, listName, item);
    const refused = refusalOf(plan, { limit: `allowed.${listName}`, value: item.id, problem }, nowMs);
    if (refused === undefined) return undefined;
    return { reason: ConditionReason.PlanLimitExceeded, message: `${field}: ${item.id}: ${refused}` };
  };
  const name = networkID && networks?.items.get(networkID)?.name;
  return (
    (region === undefined ? undefined : refusal('spec.region', 'regions', { id: region })) ??
    (networkID === undefined
      ? undefined
      : refusal('spec.network.networkID', 'networks', { id: networkID, ...(name && { name }) }))
  );
}
