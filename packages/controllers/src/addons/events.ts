import type { Cluster } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { ControllerDependencies } from '../dependencies.ts';

const PROBLEM_STATES: ReadonlySet<AddonStatus['state']> = new Set(['Degraded', 'Failed', 'Modified', 'NotManaged']);

/** Records Events on the Cluster when add-ons need attention and when they have recovered: once for each change. */
export function recordAddonEvents(
  events: Pick<ControllerDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  before: readonly AddonStatus[],
  now: readonly AddonStatus[],
): void {
  for (const { name, state, message = '' } of now) {
    const last = before.find((other) => other.name === name);
    if (state === last?.state) continue;
    if (PROBLEM_STATES.has(state)) events.warning(cluster, `Addon${state}`, `${name}: ${message}`);
    else if (state === 'Ready' && last) events.normal(cluster, 'AddonReady', `${name} works`);
  }
}
