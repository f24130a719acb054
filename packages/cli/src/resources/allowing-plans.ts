import { type AllowedThing, allowanceProblem } from '@fairway/api/domain/plan-allowance';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import type { Connection } from '../client/connect.ts';

interface Named {
  readonly name: string;
}

/**
 * The items that `only` allows, or all of them; where some plan allows not all, each with `plans`, the names of those that allow it.
 * Pure. External networks are no choice that a plan limits.
 */
export function markPlans<T extends Named>(
  items: readonly T[],
  thing: AllowedThing,
  { offered, only }: { readonly offered: readonly Plan[]; readonly only: string | undefined },
): readonly (T & { readonly plans?: readonly string[] })[] {
  const allows = (plan: Plan, item: Named & { readonly id?: unknown; readonly external?: unknown }): boolean =>
    item.external === true ||
    allowanceProblem(plan, thing, { id: typeof item.id === 'string' ? item.id : item.name, name: item.name }) ===
      undefined;
  const marked = items.map((item) => ({
    ...item,
    plans: offered.filter((plan) => allows(plan, item)).map(({ metadata }) => metadata.name ?? ''),
  }));
  if (only !== undefined) return items.filter((_, index) => marked[index]?.plans.includes(only));
  return marked.some((item) => item.plans.length < offered.length) ? marked : items;
}

/** The operator's plans; none for those who may not read them. Throws a CommandError if there is no plan `only`. */
export async function readPlans(
  { client }: Pick<Connection, 'client'>,
  only: string | undefined,
  signal: AbortSignal,
): Promise<readonly Plan[]> {
  let offered: readonly Plan[];
  try {
    offered = (await client.resource(plans).list({ signal })).items;
  } catch (error) {
    if (only !== undefined || !isApiError(error, 'Forbidden')) throw error;
    return [];
  }
  const names = offered.map(({ metadata }) => metadata.name ?? '');
  if (only === undefined || names.includes(only)) return offered;
  const advice = names.length === 0 ? 'the operator offers no plans' : `plans: ${names.join(', ')}`;
  throw new CommandError(`there is no plan "${only}"`, { advice });
}
