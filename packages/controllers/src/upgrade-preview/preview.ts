import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import { forcedUpdateGate } from '@fairway/api/domain/forced-gate';
import { maintenanceGate, specChangeGate } from '@fairway/api/domain/maintenance-gate';
import { pluralize } from '@fairway/api/domain/pluralize';
import { updateTarget } from '@fairway/api/domain/required-update';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { UpgradeFinding, UpgradePlanStatus, UpgradeStep } from '@fairway/api/kinds/upgrade-plan-request';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import { chooseVersion } from '../cluster/version-choice.ts';
import { clusterHold, policyHold } from '../upgrade/hold.ts';
import { ownHold } from '../upgrade/pool-upgrade.ts';
import { targetName } from '../upgrade/progress.ts';
import { closed } from '../upgrade/reconciler.ts';
import { addonChanges } from './addon-changes.ts';
import { formatDuration, poolEstimate, totalEstimate } from './estimate.ts';
import { isReplaced, type PoolUpdate, poolUpdates } from './pool-updates.ts';
import { surgeQuota } from './surge-quota.ts';
import { upgradeTarget } from './target.ts';

export interface PreviewFacts {
  readonly cluster: Cluster;
  /** Version that the control plane runs. */
  readonly running: string;
  /** The requested spec.version; undefined for the next version that is offered. */
  readonly requested: string | undefined;
  readonly releases: readonly KubernetesRelease[];
  readonly plan: Plan | undefined;
  /** All pools in the cluster. */
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
  /** What the cloud reports; lists that it does not return are missing. */
  readonly catalogue: Pick<CloudCatalogue, 'flavors' | 'quotas'>;
  /** Whether its API server stays available during an update. */
  readonly isSeamless: boolean;
  readonly nowMs: number;
}

export interface Preview {
  readonly status: UpgradePlanStatus;
  /** The nodes that are drained, for additional checks of their pods. */
  readonly renewals: readonly PoolUpdate[];
}

/** What an upgrade would do, from Fairway's own data. Pure: uses the same decision functions as the upgrade itself. */
export function previewUpgrade(facts: PreviewFacts): Preview {
  const { cluster, running, nowMs } = facts;
  const time = formatTime(nowMs);
  const target = upgradeTarget(facts);
  if (!target.ok) {
    const findings = [{ type: target.problem.reason, effect: 'Blocks' as const, message: target.problem.message }];
    return { status: { from: running, time, steps: [], findings }, renewals: [] };
  }
  const { requestedVersion, version: to } = target;
  const spec = { ...cluster.spec, ...(requestedVersion !== undefined && { version: requestedVersion }) };
  const after: Cluster = { ...cluster, spec, status: { ...cluster.status, version: to, desiredVersion: to } };
  const renewals = poolUpdates({ ...facts, after });
  const quota = surgeQuota(renewals, facts.catalogue);
  const estimates = renewals.map((renewal) => ({ order: renewal.order, estimate: poolEstimate(renewal) }));
  const estimate = totalEstimate(estimates, { hasControlPlane: to !== running });
  const controlPlane = to === running ? [] : [controlPlaneStep(facts, to)];
  const first = controlPlane.length;
  const nodes = renewals.map((renewal, index) => poolStep(renewal, first + renewal.order, estimates[index]?.estimate));
  const addons = to === running ? [] : addonChanges(cluster, after, facts.releases);
  const findings = [
    ...clusterFindings(facts, { ...cluster, spec }, to),
    ...renewals.flatMap((renewal) => poolFindings(renewal, after, facts)),
    ...quota.findings,
    ...poolsWithoutData(facts),
  ];
  return {
    status: {
      from: running,
      ...(to !== running && { to }),
      time,
      steps: [...controlPlane, ...nodes],
      ...(estimate && { estimate }),
      ...(quota.quotas && { quotas: [...quota.quotas] }),
      ...(addons.length > 0 && { addons: [...addons] }),
      findings: uniqueFindings(findings),
    },
    renewals,
  };
}

function controlPlaneStep({ running, isSeamless }: PreviewFacts, to: string): UpgradeStep {
  const impact = isSeamless
    ? 'its API server stays available'
    : 'its API server has a single replica and is unavailable while that is replaced; workloads keep running';
  return {
    order: 1,
    type: 'ControlPlane',
    message: `the control plane is updated from ${running} to ${to}; ${impact}`,
  };
}

function poolStep(renewal: PoolUpdate, order: number, estimate: UpgradeStep['estimate']): UpgradeStep {
  const { name, strategy, outdated, width } = renewal;
  return {
    order,
    type: 'NodePool',
    pool: name,
    nodes: outdated.length,
    strategy,
    parallel: width,
    ...(estimate && { estimate }),
    message: describePoolUpdate(renewal),
  };
}

function describePoolUpdate({ pool, strategy, outdated, width, limits, drainTimeoutMs }: PoolUpdate): string {
  const isHeld = pool.spec.upgradeStrategy.onDrainTimeout === 'Hold';
  const limit = drainTimeoutMs === undefined || isHeld ? '' : ` (${formatDuration(drainTimeoutMs / 1000)} at most)`;
  const createsNodesFirst = strategy === 'Rolling' && limits.maxSurge > 0;
  const how =
    strategy === 'InPlace'
      ? `each is drained${limit} and its server reinstalled`
      : createsNodesFirst
        ? `a new one is created, then an old one is drained${limit} and deleted`
        : `an old one is drained${limit} and deleted, then a new one is created`;
  const pace =
    outdated.length === 1 ? '' : width === 1 ? ', one after another' : `, one first, then ${width} at a time`;
  const replaced = outdated.filter(({ machine, cause: need }) => isReplaced(machine, need, strategy)).length;
  const others =
    strategy === 'InPlace' && replaced > 0
      ? `; ${replaced === outdated.length ? 'a new server replaces each' : `a new server replaces ${replaced} of them`}, because the change cannot be made in place`
      : '';
  return `${pluralize(outdated.length, 'node')}: ${how}${pace}${others}`;
}

/** What blocks the whole upgrade; `asking`: the cluster with the new spec. */
function clusterFindings(facts: PreviewFacts, clusterToUpgrade: Cluster, to: string): UpgradeFinding[] {
  const { cluster, running, releases, machines, isSeamless, nowMs } = facts;
  const findings: UpgradeFinding[] = [];
  if (isPaused(cluster)) {
    const message = `the cluster is paused: nothing changes until it is resumed (fairway cluster resume ${cluster.metadata.name})`;
    findings.push({ type: ConditionReason.Paused, effect: 'Blocks', message });
  }
  const nodes = () =>
    machines.map(({ metadata, spec, status }) => ({
      name: metadata.name ?? '',
      pool: spec.nodePoolName,
      version: status?.version ?? spec.version,
    }));
  const { waiting } = chooseVersion({ cluster: clusterToUpgrade, releases, nodes, isSeamless, nowMs });
  // Starting the upgrade does not count as an obstacle.
  if (to !== running && waiting && waiting.reason !== ConditionReason.Updating) findings.push(findingOf(waiting));
  const decided = cluster.status?.desiredVersion ?? running;
  if (decided !== running) {
    const message = `the control plane is already being updated to ${decided}`;
    findings.push({ type: ConditionReason.Updating, effect: 'Delays', message });
  }
  const hold = clusterHold({ ...cluster, status: { ...cluster.status, desiredVersion: running } }, true);
  if (hold) findings.push(findingOf(hold));
  return findings;
}

function poolFindings(renewal: PoolUpdate, after: Cluster, { cluster, nowMs }: PreviewFacts): UpgradeFinding[] {
  const { pool, name, strategy, limits, outdated, room } = renewal;
  const of = (problem: Problem): UpgradeFinding => ({ ...findingOf(problem), pool: name });
  const findings: UpgradeFinding[] = [];
  if (isPaused(pool)) {
    findings.push(
      of({ reason: ConditionReason.Paused, message: `pool ${name} is paused: its nodes are left unchanged` }),
    );
  }
  const target = updateTarget(pool, after);
  const own = target && ownHold(pool, targetName(target), undefined);
  if (own) findings.push(of(own));
  const policy = {
    cluster: after,
    strategy,
    limits,
    hasWindow: cluster.spec.maintenance?.window !== undefined,
    asked: closed(specChangeGate(cluster, nowMs), cluster),
    automatic: closed(maintenanceGate(cluster, nowMs), cluster),
    forced: closed(forcedUpdateGate(cluster, nowMs), cluster),
  };
  for (const cause of new Set(outdated.map(({ cause: need }) => need.cause))) {
    const hold = policyHold(cause, policy);
    if (hold) findings.push(of(hold));
  }
  if (strategy === 'Rolling' && limits.maxUnavailable === 0 && room <= 0) {
    const message = `pool ${name}: a new node is created before an old one is deleted, and the cluster has reached its node limit: scale down a pool, or set spec.upgradeStrategy.maxUnavailable to 1`;
    findings.push(of({ reason: ConditionReason.PlanLimitExceeded, message }));
  }
  return findings;
}

/** Finds pools whose image has not been resolved yet. */
function poolsWithoutData({ pools, machines }: PreviewFacts): UpgradeFinding[] {
  return pools.flatMap(({ metadata, status }): UpgradeFinding[] => {
    const { name = '' } = metadata;
    if (status?.imageID !== undefined || !machines.some(({ spec }) => spec.nodePoolName === name)) return [];
    const message = `pool ${name}: the image of its nodes is not known yet`;
    return [{ type: ConditionReason.Provisioning, effect: 'Unknown', pool: name, message }];
  });
}

function findingOf({ reason, message }: Problem): UpgradeFinding {
  const turn = actionRequiredBy(reason);
  return { type: reason, effect: turn === 'user' || turn === 'operator' ? 'Blocks' : 'Delays', message };
}

/** The window is reported once, for the control plane and all pools. */
function uniqueFindings(findings: readonly UpgradeFinding[]): UpgradeFinding[] {
  const isWindow = ({ type }: UpgradeFinding) => type === ConditionReason.WaitingForMaintenanceWindow;
  const first = findings.find(isWindow);
  return bySeverity(findings.filter((finding) => !isWindow(finding) || finding === first));
}

const EFFECTS = ['Blocks', 'Loses', 'Delays', 'Unknown'] as const satisfies readonly UpgradeFinding['effect'][];

/** The most severe first. */
export function bySeverity(findings: readonly UpgradeFinding[]): UpgradeFinding[] {
  return findings.toSorted((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));
}
