import { ConditionReason } from '@fairway/api/conditions';
import { type AllowListName, allowanceProblem } from '@fairway/api/domain/plan-allowance';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { applyLimitNotes, refusalOf } from '@fairway/api/limits/notes';
import { clusterFieldErrors, poolFieldErrors } from '@fairway/api/limits/pool-limits';
import type { Problem } from '@fairway/tenancy/problem';

/** The cloud's flavor; undefined if the cloud does not have it. */
interface NamedResource {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/**
 * Why the plan does not allow machines in this pool, or with this flavor or image: admission was bypassed, or the plan
 * has changed since then. Pure.
 */
export function disallowedMachines(
  { spec }: NodePool,
  plan: Plan | undefined,
  {
    cluster,
    flavor,
    image,
    nowMs,
  }: {
    readonly cluster: Cluster | undefined;
    readonly flavor: NamedResource | undefined;
    readonly image: NamedResource;
    readonly nowMs: number;
  },
): Problem | undefined {
  if (plan === undefined) return undefined;
  const refusal = (listName: AllowListName, value: string, item: NamedResource) =>
    refusalOf(plan, { limit: `allowed.${listName}`, value, problem: allowanceProblem(plan, listName, item) }, nowMs);
  const flavorProblem = refusal('flavors', spec.flavor, flavor ?? { id: spec.flavor });
  if (flavorProblem) return limitProblem(`spec.flavor: ${spec.flavor}: ${flavorProblem}`);
  const imageName = image.name || image.id;
  const imageProblem = refusal('images', spec.image ?? imageName, image);
  if (imageProblem) return limitProblem(`spec.image: ${imageName}: ${imageProblem}`);
  const ofCluster = cluster ? clusterFieldErrors(cluster.spec, undefined, plan) : [];
  const limitErrors = [...poolFieldErrors(spec, undefined, plan), ...ofCluster];
  const [field] = applyLimitNotes(limitErrors, plan, nowMs).errors;
  return field && limitProblem(`${field.field}: ${field.detail}`);
}

/** The images from a plan that nodes may boot from if none is specified. */
export function allowedImages<T extends NamedResource>(images: readonly T[], plan: Plan | undefined): readonly T[] {
  if (plan === undefined) return images;
  return images.filter((image) => allowanceProblem(plan, 'images', image) === undefined);
}

function limitProblem(message: string): Problem {
  return { reason: ConditionReason.PlanLimitExceeded, message: `${message}. Existing nodes are unaffected` };
}
