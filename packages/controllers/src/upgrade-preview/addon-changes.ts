import { addonsOf } from '@fairway/addons/catalogue';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { UpgradeAddon } from '@fairway/api/kinds/upgrade-plan-request';
import { addonFacts } from '../addons/facts.ts';

/**
 * The add-ons whose version changes with an upgrade, and the cluster's own, which do not change. `after`: the cluster
 * once its control plane runs the new version. Pure.
 */
export function addonChanges(
  cluster: Cluster,
  after: Cluster,
  releases: readonly KubernetesRelease[],
): readonly UpgradeAddon[] {
  // An add-on that is not installed has no version that changes, and plans specify no versions; without limits, the time does not matter.
  const facts = addonFacts(after, releases, {}, { reachesNodes: true }, 0);
  if (facts === undefined) return [];
  const known = new Map(cluster.status?.addons?.map((addon) => [addon.name, addon]));
  // At the end, no node is older than the control plane.
  return addonsOf({ ...facts, oldestNodeVersion: undefined }).flatMap(({ name, version: to }): UpgradeAddon[] => {
    const now = known.get(name);
    if (now === undefined) return [];
    if (now.state === 'NotManaged') {
      return [
        {
          name,
          to,
          message: `${name} is not managed by Fairway and is left unchanged; ${to} belongs to the new version`,
        },
      ];
    }
    if (now.version === undefined || now.version === to) return [];
    const when = name === 'kube-proxy' ? 'when all nodes are updated' : 'after the control plane';
    return [{ name, from: now.version, to, message: `${name} is updated from ${now.version} to ${to} ${when}` }];
  });
}
