import { ConditionReason } from '@fairway/api/conditions';
import { allowanceProblem } from '@fairway/api/domain/plan-allowance';
import { disallowedClusterFields, disallowedFields } from '@fairway/api/domain/pool-allowance';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Problem } from '@fairway/tenancy/problem';

/** The cloud's flavor; undefined if the cloud does not have it. */
interface NamedResource {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/**
 * Why the plan does not allow machines of this pool, flavor or image: admission was bypassed, or the plan has changed
 * since then. Pure.
 */
export function disallowedMachines(
  { spec }: NodePool,
  plan: Plan | undefined,
  {
    cluster,
    flavor,
    image,
  }: {
    readonly cluster: Cluster | undefined;
    readonly flavor: NamedResource | undefined;
    readonly image: NamedResource;
  },
): Problem | undefined {
  if (plan === undefined) return undefined;
  const flavorProblem = allowanceProblem(plan, 'flavors', flavor ?? { id: spec.flavor });
  if (flavorProblem) return limitProblem(`spec.flavor: ${spec.flavor}: ${flavorProblem}`);
  const imageProblem = allowanceProblem(plan, 'images', image);
  if (imageProblem) return limitProblem(`spec.image: ${image.name || image.id}: ${imageProblem}`);
  const ofCluster = cluster ? disallowedClusterFields(cluster.spec, undefined, plan) : [];
  const [field] = [...disallowedFields(spec, undefined, plan), ...ofCluster];
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
