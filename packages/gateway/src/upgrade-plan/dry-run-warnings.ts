import type { Cluster } from '@fairway/api/kinds/cluster';
import type { UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';
import type { Clock } from '@fairway/base/clock';
import type { PlanUpgrade } from './upgrade-plan-request.ts';

/** kube-apiserver waits 15 s for admission, and the cloud may already have used ten of them. */
const DRY_RUN_TIMEOUT_MS = 3_000;
const MAX_WARNINGS = 8;
const MAX_LENGTH = 400;

export interface DryRunOptions {
  readonly planner: PlanUpgrade | undefined;
  readonly cluster: Cluster;
  /** The stored object; undefined for a new one. */
  readonly old: Cluster | undefined;
  readonly clock: Clock;
}

/** Blockers and losses of an upgrade, for users who try changing spec.version in a dry run. Never rejects. */
export async function dryRunWarnings({ planner, cluster, old, clock }: DryRunOptions): Promise<readonly string[]> {
  const { version } = cluster.spec;
  if (planner === undefined || old?.status?.version === undefined) return [];
  if (version === undefined || version === old.spec.version) return [];
  const command = `fairway cluster upgrade ${cluster.metadata.name} --plan --to ${version}`;
  const deadline = new AbortController();
  try {
    const plan = planner({ ...old, spec: cluster.spec }, version);
    const findings = await Promise.race([
      plan.then((status) => status.findings),
      clock.sleep(DRY_RUN_TIMEOUT_MS, deadline.signal).then((): readonly UpgradeFinding[] | undefined => undefined),
    ]);
    if (findings === undefined) return [`the effects of the upgrade take longer to determine; run ${command}`];
    const reportable = findings.filter(({ effect }) => effect !== 'Unknown');
    const warnings = reportable
      .slice(0, MAX_WARNINGS)
      .map(({ effect, type, message }) => `upgrade: ${effect} (${type}): ${message}`.slice(0, MAX_LENGTH));
    return reportable.length === 0 ? [] : [...warnings, `upgrade: for all effects, with names, run ${command}`];
  } catch (error) {
    const errorText = error instanceof Error ? error.message : String(error);
    return [`cannot determine the effects of the upgrade: ${errorText}; run ${command}`.slice(0, MAX_LENGTH)];
  } finally {
    deadline.abort();
  }
}
