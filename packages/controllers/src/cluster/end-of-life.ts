import { ConditionType } from '@fairway/api/conditions';
import { minorOf } from '@fairway/api/domain/version-numbers';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { EndOfLifeStatus } from '@fairway/api/kinds/cluster-end-of-life';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ClusterDependencies } from './dependencies.ts';

const RETRY_MS = 60_000;

/**
 * Records an Event for each notice about the end of life of the cluster's minor version. It is recorded before
 * `status.endOfLife`: a process killed in between records it again, under the same name. Returns the status to write; a
 * notice that could not be recorded remains due.
 */
export async function recordEndOfLifeEvents(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  status: ClusterStatus,
): Promise<{ readonly status: ClusterStatus; readonly requeueAfterMs: number | undefined }> {
  const reported = cluster.status?.endOfLife;
  const { endOfLife } = status;
  const done = { status, requeueAfterMs: undefined };
  const isNoticeRecorded = reported?.noticeTime === endOfLife?.noticeTime && reported?.notice === endOfLife?.notice;
  const isUpgradeRecorded = reported?.upgrade?.time === endOfLife?.upgrade?.time || endOfLife === undefined;
  if (isNoticeRecorded && isUpgradeRecorded) return done;
  try {
    if (!isNoticeRecorded && endOfLife) await recordNotice(events, cluster, status, endOfLife);
    else if (!endOfLife && reported) await recordCancelledUpgrade(events, cluster, status, reported);
    if (!isUpgradeRecorded && endOfLife) await recordPlannedUpgrade(events, cluster, endOfLife);
    return done;
  } catch {
    return { status: { ...status, endOfLife: reported }, requeueAfterMs: RETRY_MS };
  }
}

async function recordNotice(
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

/** Records an Event about the planned automatic upgrade of the cluster with its time, or about its cancellation. */
async function recordPlannedUpgrade(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  { minor, upgrade }: EndOfLifeStatus,
): Promise<void> {
  const before = cluster.status?.endOfLife;
  if (upgrade !== undefined) {
    const message = `Fairway will upgrade the cluster from Kubernetes ${minor} to ${upgrade.to} automatically, no earlier than ${upgrade.time}; to choose the time yourself, set spec.version to ${upgrade.to} before then`;
    await events.once(cluster, 'Warning', {
      reason: 'ForcedUpgradePlanned',
      message,
      id: `${minor} upgrade ${upgrade.time}`,
    });
  } else if (before?.upgrade !== undefined && before.minor === minor) {
    const message = `the automatic upgrade from Kubernetes ${minor} to ${before.upgrade.to} is cancelled: the operator withdrew it`;
    await events.once(cluster, 'Normal', {
      reason: 'ForcedUpgradeWithdrawn',
      message,
      id: `${minor} no upgrade ${before.upgrade.time}`,
    });
  }
}

/**
 * Records the start of such an upgrade before anything is written, under the same name regardless of how often this is
 * repeated. Failures are ignored, so the upgrade does not depend on the Event.
 */
export async function recordForcedUpgradeEvent(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  forced: ForcedUpgradeStatus | undefined,
): Promise<void> {
  if (forced === undefined || forced.to === cluster.status?.forcedUpgrade?.to) return;
  const { from, to } = forced;
  const message = `the cluster is being upgraded from ${from} to ${to} automatically: Kubernetes ${minorOf(from)} has reached its end of life`;
  await events
    .once(cluster, 'Warning', { reason: 'ForcedUpgradeStarted', message, id: `${from} to ${to}` })
    .catch(() => {});
}

/** Records that an announced upgrade is cancelled, unless the cluster has already left the minor version. */
async function recordCancelledUpgrade(
  events: Pick<ClusterDependencies['events'], 'once'>,
  cluster: Cluster,
  { version }: ClusterStatus,
  { minor, date, notice, noticeTime }: EndOfLifeStatus,
): Promise<void> {
  if (version === undefined || minorOf(version) !== minor) return;
  const was =
    date === undefined ? 'has not reached its end of life after all' : `does not reach its end of life on ${date}`;
  const message = `Kubernetes ${minor} ${was}: the operator has extended its support`;
  await events.once(cluster, 'Normal', { reason: 'VersionSupported', message, id: `${minor} ${notice} ${noticeTime}` });
}
