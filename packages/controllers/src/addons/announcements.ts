import type { Cluster } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { ControllerDependencies } from '../dependencies.ts';

const TROUBLE: ReadonlySet<AddonStatus['state']> = new Set(['Degraded', 'Failed', 'Modified', 'NotManaged']);

/** Tells of add-ons that people have to look at, and of those that work again, in Events on the Cluster: once for each change. */
export function announceAddons(
  events: Pick<ControllerDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  before: readonly AddonStatus[],
  now: readonly AddonStatus[],
): void {
  for (const { name, state, message = '' } of now) {
    const last = before.find((other) => other.name === name);
    if (state === last?.state) continue;
    if (TROUBLE.has(state)) events.warning(cluster, `Addon${state}`, `${name}: ${message}`);
    else if (state === 'Ready' && last) events.normal(cluster, 'AddonReady', `${name} works`);
  }
}
