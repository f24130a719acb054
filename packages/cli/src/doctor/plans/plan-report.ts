import { dump } from 'js-yaml';
import { printable } from '../../output/printable.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import { type Finding, renderFindings } from '../finding.ts';
import { planFindings } from './promises.ts';
import { type Proposal, proposals } from './proposals.ts';
import type { ReadPlans } from './read-plans.ts';
import { type Unknown, unknowns } from './unknowns.ts';

/** Plans compared with a cloud. */
export interface PlanReport {
  /** What could not be observed; no limit is proposed for it. */
  readonly unknown: readonly Unknown[];
  readonly proposals: readonly Proposal[];
  readonly findings: readonly Finding[];
  /** Why the Plans of Fairway were not compared. */
  readonly plansProblem?: string;
}

/** Compares plans with a cloud; if they can't be read, limits are proposed for new ones. Pure. */
export function planReport(cloud: CloudObservation, read: ReadPlans, nowMs: number): PlanReport {
  const unknown = unknowns(cloud);
  if ('problem' in read) {
    return { unknown, proposals: proposals(cloud, undefined), findings: [], plansProblem: read.problem };
  }
  const { plans, releases } = read.value;
  return {
    unknown,
    proposals: proposals(cloud, plans),
    findings: planFindings(cloud, plans, releases, nowMs),
  };
}

/** The end of the report on a cloud: warnings, unknown facts, and fields to paste. */
export function renderPlanReport({ unknown, proposals: proposed, findings, plansProblem }: PlanReport): string {
  const parts = [
    plansProblem === undefined
      ? renderPromises(findings)
      : `Plans were not compared with this cloud: ${printable(plansProblem)}\n`,
    ...(unknown.length === 0 ? [] : [renderUnknown(unknown)]),
    ...proposed.map(renderProposal),
  ];
  return parts.join('\n');
}

function renderPromises(findings: readonly Finding[]): string {
  return findings.length === 0 ? 'No Plan promises what this cloud lacks.\n' : renderFindings(findings);
}

function renderUnknown(unknown: readonly Unknown[]): string {
  const lines = unknown.map(({ what, problem }) => `  ${what}: ${printable(problem)}\n`);
  return `No limits are proposed for what could not be observed:\n${lines.join('')}`;
}

function renderProposal({ plans, spec }: Proposal): string {
  const target = plans.length === 0 ? 'new Plans' : `Plan ${plans.join(', ')}`;
  return `# Proposed limits for ${target}, from what this cloud lacks. Add the notes to existing ones.\n${dump({ spec }, { lineWidth: -1, noRefs: true })}`;
}
