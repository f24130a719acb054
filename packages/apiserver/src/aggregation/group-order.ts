import { compareVersions } from '../server/version-order.ts';
import type { RemoteGroupVersion } from './aggregator.ts';

/**
 * Priorities of the groups that kube-apiserver 1.36 serves itself (cmd/kube-apiserver/app/aggregator.go and
 * pkg/controlplane/apiserver/aggregator.go).
 */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  'apiregistration.k8s.io': 20_001,
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};
/** Priorities for groups defined by CustomResourceDefinitions. */
const CUSTOM_GROUP_PRIORITY = 1000;
const CUSTOM_VERSION_PRIORITY = 100;

type Groups<T> = ReadonlyMap<string, ReadonlyMap<string, readonly T[]>>;

/**
 * Merges this server's groups and versions with those of other servers, ordered by priority. Other servers' versions
 * list no kinds here.
 */
export function withRemoteGroups<T>(local: Groups<T>, remote: readonly RemoteGroupVersion[]): Groups<T> {
  if (remote.length === 0) return local;
  const groups = new Map([...local].map(([group, versions]) => [group, new Map(versions)]));
  const groupPriorities = new Map(
    [...local.keys()].map((group) => [group, GROUP_PRIORITIES[group] ?? CUSTOM_GROUP_PRIORITY]),
  );
  for (const { api } of remote) {
    const { group, version, groupPriority } = api;
    groupPriorities.set(group, Math.max(groupPriority, groupPriorities.get(group) ?? 0));
    groups.set(group, (groups.get(group) ?? new Map<string, readonly T[]>()).set(version, []));
  }
  for (const [group, members] of Map.groupBy(remote, ({ api }) => api.group)) {
    const priorities = new Map(members.map(({ api }) => [api.version, api.versionPriority]));
    const rank = (version: string) => priorities.get(version) ?? CUSTOM_VERSION_PRIORITY;
    const versions = [...(groups.get(group) ?? [])];
    groups.set(group, new Map(versions.sort(([a], [b]) => rank(b) - rank(a) || compareVersions(a, b))));
  }
  const rank = (group: string) => groupPriorities.get(group) ?? CUSTOM_GROUP_PRIORITY;
  return new Map([...groups].sort(([a], [b]) => rank(b) - rank(a) || (a < b ? -1 : 1)));
}
