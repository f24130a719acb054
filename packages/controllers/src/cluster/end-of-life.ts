import { ConditionType } from '@fairway/api/conditions';
import { minorOf } from '@fairway/api/domain/version-numbers';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { EndOfLifeStatus } from '@fairway/api/kinds/cluster-end-of-life';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ClusterDependencies } from './dependencies.ts';

const RETRY_MS = 60_000;

/**
 * An Event for each notice of the end of the cluster's minor version, before `status.endOfLife` says that it was given: whoever is killed in between tells it
 * again, under the same name. Returns the status to write; a notice that could not be told stays due.
 */
export async function tellOfEndOfLife(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  status: ClusterStatus,
): Promise<{ readonly status: ClusterStatus; readonly retryInMs: number | undefined }> {
  const told = cluster.status?.endOfLife;
  const { endOfLife } = status;
  const done = { status, retryInMs: undefined };
  const isNoticeTold = told?.noticeTime === endOfLife?.noticeTime && told?.notice === endOfLife?.notice;
  const isUpgradeTold = told?.upgrade?.time === endOfLife?.upgrade?.time || endOfLife === undefined;
  if (isNoticeTold && isUpgradeTold) return done;
  try {
    if (!isNoticeTold && endOfLife) await tellNotice(events, cluster, status, endOfLife);
    else if (!endOfLife && told) await tellOfReprieve(events, cluster, status, told);
    if (!isUpgradeTold && endOfLife) await tellOfPlan(events, cluster, endOfLife);
    return done;
  } catch {
    return { status: { ...status, endOfLife: told }, retryInMs: RETRY_MS };
  }
}

async function tellNotice(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  { conditions }: ClusterStatus,
  { minor, date, notice }: EndOfLifeStatus,
): Promise<void> {
  const now = findCondition(conditions, ConditionType.VersionSupported);
  if (now === undefined) return;
  const { reason, message } = now;
  await events.once(cluster, 'Warning', { reason, message, id: `${minor} ends ${date} ${notice}` });
}

/** That the cluster is upgraded without being asked, and from when on; or that it is not after all. */
async function tellOfPlan(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  { minor, upgrade }: EndOfLifeStatus,
): Promise<void> {
  const before = cluster.status?.endOfLife;
  if (upgrade !== undefined) {
    const message = `the cluster is upgraded from Kubernetes ${minor} to ${upgrade.to} without being asked from ${upgrade.time} on; to choose the time yourself: set spec.version to ${upgrade.to} before`;
    await events.once(cluster, 'Warning', {
      reason: 'ForcedUpgradePlanned',
      message,
      id: `${minor} upgrade ${upgrade.time}`,
    });
  } else if (before?.upgrade !== undefined && before.minor === minor) {
    const message = `the cluster is not upgraded from Kubernetes ${minor} to ${before.upgrade.to} without being asked: the operator has taken that back`;
    await events.once(cluster, 'Normal', {
      reason: 'ForcedUpgradeWithdrawn',
      message,
      id: `${minor} no upgrade ${before.upgrade.time}`,
    });
  }
}

/** That such an upgrade begins, before anything of it is written: under one name, however often it is told. It does not wait for somebody to hear it. */
export async function tellOfForce(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  forced: ForcedUpgradeStatus | undefined,
): Promise<void> {
  if (forced === undefined || forced.to === cluster.status?.forcedUpgrade?.to) return;
  const { from, to } = forced;
  const message = `the cluster is upgraded from ${from} to ${to} without being asked: Kubernetes ${minorOf(from)} has reached its end of life`;
  await events
    .once(cluster, 'Warning', { reason: 'ForcedUpgradeStarted', message, id: `${from} to ${to}` })
    .catch(() => {});
}

/** Who upgrades has heard enough. */
async function tellOfReprieve(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  { version }: ClusterStatus,
  { minor, date, notice, noticeTime }: EndOfLifeStatus,
): Promise<void> {
  if (version === undefined || minorOf(version) !== minor) return;
  const was = date === undefined ? 'has not ended after all' : `does not end on ${date}`;
  const message = `Kubernetes ${minor} ${was}: the operator supports it longer`;
  await events.once(cluster, 'Normal', { reason: 'VersionSupported', message, id: `${minor} ${notice} ${noticeTime}` });
}
