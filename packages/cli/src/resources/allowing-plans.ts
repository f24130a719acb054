import { type AllowListName, allowanceProblem } from '@fairway/api/domain/plan-allowance';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import type { Connection } from '../client/connect.ts';

interface NamedItem {
  readonly name: string;
}

/**
 * The items that `only` allows, or all of them. If some plan restricts them, each has `plans`, the names of plans that
 * allow it. Pure. Plans don't restrict external networks.
 */
export function markPlans<T extends NamedItem>(
  items: readonly T[],
  resource: AllowListName,
  { offered, planName }: { readonly offered: readonly Plan[]; readonly planName: string | undefined },
): readonly (T & { readonly plans?: readonly string[] })[] {
  const allows = (plan: Plan, item: NamedItem & { readonly id?: unknown; readonly external?: unknown }): boolean =>
    item.external === true ||
    allowanceProblem(plan, resource, { id: typeof item.id === 'string' ? item.id : item.name, name: item.name }) ===
      undefined;
  const marked = items.map((item) => ({
    ...item,
    plans: offered.filter((plan) => allows(plan, item)).map(({ metadata }) => metadata.name ?? ''),
  }));
  if (planName !== undefined) return items.filter((_, index) => marked[index]?.plans.includes(planName));
  return marked.some((item) => item.plans.length < offered.length) ? marked : items;
}

/** The operator's plans; empty for users who may not read them. Throws a CommandError if plan `only` does not exist. */
export async function readPlans(
  { client }: Pick<Connection, 'client'>,
  planName: string | undefined,
  signal: AbortSignal,
): Promise<readonly Plan[]> {
  let offered: readonly Plan[];
  try {
    offered = (await client.resource(plans).list({ signal })).items;
  } catch (error) {
    if (planName !== undefined || !isApiError(error, 'Forbidden')) throw error;
    return [];
  }
  const names = offered.map(({ metadata }) => metadata.name ?? '');
  if (planName === undefined || names.includes(planName)) return offered;
  const advice = names.length === 0 ? 'the operator offers no plans' : `plans: ${names.join(', ')}`;
  throw new CommandError(`there is no plan "${planName}"`, { advice });
}
