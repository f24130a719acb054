import { ConditionType } from '@fairway/api/conditions';
import type { EndWindow, ObservedItem, UsageObservation } from '@fairway/api/domain/usage/follow';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { UsageInterval, UsageRecord, UsageResource } from '@fairway/api/kinds/usage-record';
import { findCondition } from '@fairway/kube/controller/conditions';
import { cloudTimeMs } from '@fairway/openstack/types/cloud-time';
import type { Server } from '@fairway/openstack/types/server';
import type { EndTracker } from './end-tracker.ts';

/**
 * The plan is counted from when the cluster's API server was first ready until the cluster's deletion was
 * requested, regardless of what happens in between. While `isHeldUp` (`isHeldByTenant`), the control plane keeps
 * running, which is a separate interval.
 */
export function observeControlPlane(
  cluster: Cluster,
  record: UsageRecord | undefined,
  { nowMs, isHeldUp }: { readonly nowMs: number; readonly isHeldUp: boolean },
): UsageObservation {
  const id = identityOf(cluster);
  const resource = 'ControlPlane';
  const { deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) {
    const endMs = Date.parse(deletionTimestamp);
    const [counted] = runningOf(record, resource);
    const held = { id: heldControlPlaneId(id), type: cluster.spec.plan, sinceMs: endMs };
    const items = counted !== undefined && isHeldUp ? [held] : [];
    return { resource, atMs: nowMs, items, endOf: (each) => controlPlaneEndMs(each, { id, endMs, nowMs }) };
  }
  const ready = findCondition(cluster.status?.conditions, ConditionType.ControlPlaneReady);
  const isCounted = runningOf(record, resource).length > 0;
  if (!isCounted && ready?.status !== 'True') return { resource, atMs: nowMs, items: [] };
  const readyMs = Date.parse(ready?.lastTransitionTime ?? '') || nowMs;
  // A restored cluster has the condition of the original one.
  const sinceMs = Math.max(readyMs, Date.parse(cluster.metadata.creationTimestamp ?? '') || readyMs);
  // A changed plan is counted from when Fairway observes it.
  return { resource, atMs: nowMs, items: [{ id, type: cluster.spec.plan, sinceMs }], unchangedMsOf: () => nowMs };
}

/** ID of a control plane after its deletion was requested. */
function heldControlPlaneId(clusterUid: string): string {
  return `${clusterUid}/held`;
}

/** When the control plane ended, for a cluster whose deletion was requested at `endMs`. */
export function controlPlaneEndMs(
  intervalId: string,
  { id, endMs, nowMs }: { readonly id: string; readonly endMs: number; readonly nowMs: number },
): EndWindow {
  return intervalId === heldControlPlaneId(id) ? { fromMs: nowMs, toMs: nowMs } : { fromMs: endMs, toMs: endMs };
}

export interface ServerFacts {
  /** When the list was requested. */
  readonly atMs: number;
  /** The cluster's servers. */
  readonly servers: readonly Server[];
  readonly machineOf: (server: Server) => Machine | undefined;
  /** The machine that this server belonged to. */
  readonly machineOfServer: (serverID: string) => Machine | undefined;
  readonly ends: EndTracker;
}

/** Servers are counted from their first launch until no list contains them, regardless of their state. */
export function observeNodes(facts: ServerFacts, record: UsageRecord | undefined): UsageObservation {
  const counted = idsOf(record, 'Node');
  const items = facts.servers
    .filter((server) => counted.has(server.id) || launchMs(server) !== undefined)
    .map(
      (server): ObservedItem => ({ id: server.id, type: flavorOf(server), sinceMs: launchMs(server) ?? facts.atMs }),
    );
  const unchangedMsOf = (id: string) => facts.ends.unchangedMsOf(id);
  return { resource: 'Node', atMs: facts.atMs, items, endOf: (id) => endOf(id, facts), unchangedMsOf };
}

/** The root volumes of servers, which live as long as their servers. */
function rootVolumes(facts: ServerFacts, record: UsageRecord | undefined): readonly ObservedItem[] {
  const counted = new Map(runningOf(record, 'RootVolume').map((each) => [each.id, each]));
  return facts.servers.flatMap((server): ObservedItem[] => {
    const id = rootVolumeId(server.id);
    const machine = facts.machineOf(server);
    const sinceMs = launchMs(server);
    if (machine === undefined) {
      const known = counted.get(id);
      return known
        ? [{ id, type: known.type, quantity: known.quantity ?? 1, sinceMs: Date.parse(known.startTime) }]
        : [];
    }
    const { rootVolume } = machine.spec;
    if (rootVolume === undefined || (sinceMs === undefined && !counted.has(id))) return [];
    const type = rootVolume.type ?? 'default';
    return [{ id, type, quantity: rootVolume.sizeGiB, sinceMs: sinceMs ?? facts.atMs }];
  });
}

export function observeRootVolumes(facts: ServerFacts, record: UsageRecord | undefined): UsageObservation {
  const items = rootVolumes(facts, record);
  const ofServer = (id: string) => endOf(id.slice(0, -ROOT_VOLUME_SUFFIX.length), facts);
  return { resource: 'RootVolume', atMs: facts.atMs, items, endOf: ofServer };
}

export function runningOf(record: UsageRecord | undefined, resource: UsageResource): readonly UsageInterval[] {
  return (record?.status?.intervals ?? []).filter((each) => each.resource === resource && each.endTime === undefined);
}

export function idsOf(record: UsageRecord | undefined, resource: UsageResource): ReadonlySet<string> {
  return new Set(runningOf(record, resource).map(({ id }) => id));
}

const ROOT_VOLUME_SUFFIX = '/root';

function rootVolumeId(serverID: string): string {
  return `${serverID}${ROOT_VOLUME_SUFFIX}`;
}

/** Fairway never deletes a server before its Machine is deleted. */
function endOf(serverID: string, { ends, machineOfServer, atMs }: ServerFacts): EndWindow | undefined {
  const seen = ends.of(serverID);
  const deletedMs = Date.parse(machineOfServer(serverID)?.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(deletedMs)) return seen;
  return { fromMs: Math.max(deletedMs, seen?.fromMs ?? deletedMs), toMs: seen?.toMs ?? atMs };
}

/** When Nova first started the server; undefined before that, and if starting it has failed. */
function launchMs(server: Server): number | undefined {
  const launched = server['OS-SRV-USG:launched_at'];
  // Some clouds do not report the launch time.
  if (launched === undefined)
    return server.status === 'BUILD' || server.status === 'ERROR' ? undefined : cloudTimeMs(server.created);
  return cloudTimeMs(launched);
}

/** Before microversion 2.47 a server contains only the ID. */
function flavorOf({ flavor }: Server): string {
  return 'original_name' in flavor ? flavor.original_name : flavor.id;
}
