import { ConditionReason } from '@fairway/api/conditions';
import { allowanceProblem } from '@fairway/api/domain/plan-allowance';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Problem } from '@fairway/tenancy/problem';

/** As the cloud calls it; undefined where it does not know it. */
interface Named {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** Why the plan allows no machines of this flavor or image: admission was not asked, or the plan has changed since. Pure. */
export function disallowedMachines(
  { spec }: NodePool,
  plan: Plan | undefined,
  { flavor, image }: { readonly flavor: Named | undefined; readonly image: Named },
): Problem | undefined {
  if (plan === undefined) return undefined;
  const flavorProblem = allowanceProblem(plan, 'flavors', flavor ?? { id: spec.flavor });
  if (flavorProblem) return exceeded(`spec.flavor: ${spec.flavor}: ${flavorProblem}`);
  const imageProblem = allowanceProblem(plan, 'images', image);
  if (imageProblem) return exceeded(`spec.image: ${image.name || image.id}: ${imageProblem}`);
  return undefined;
}

/** The images that a plan lets nodes boot from where nobody names one. */
export function allowedImages<T extends Named>(images: readonly T[], plan: Plan | undefined): readonly T[] {
  if (plan === undefined) return images;
  return images.filter((image) => allowanceProblem(plan, 'images', image) === undefined);
}

function exceeded(message: string): Problem {
  return { reason: ConditionReason.PlanLimitExceeded, message: `${message}. Existing nodes stay` };
}
