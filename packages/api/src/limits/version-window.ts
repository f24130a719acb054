import { minorOf, partsOf } from '../domain/version-numbers.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { Plan } from '../kinds/plan.ts';
import { enforcementOf } from './notes.ts';

/** A release, as clusters with a particular plan can use it. */
export interface ReleaseOfPlan extends KubernetesRelease {
  /** Why the plan excludes the release from upgrades and new clusters; undefined if it does not. */
  readonly planProblem?: string;
  /** The warning shown when clusters use the release; such a release is never the default. */
  readonly planWarning?: string;
}

type PlanWithName = Pick<Plan, 'metadata' | 'spec'>;

interface VersionFacts {
  readonly releases: readonly KubernetesRelease[];
  /** The exact version that the cluster runs: a limit does not exclude patches of its minor version. */
  readonly running?: string | undefined;
  readonly nowMs: number;
}

/** The catalogue for clusters with the plan; unchanged if the plan is unknown. Pure. */
export function releasesOfPlan(
  plan: PlanWithName | undefined,
  { releases, running, nowMs }: VersionFacts,
): readonly ReleaseOfPlan[] {
  if (plan?.spec.kubernetes === undefined) return releases;
  return releases.map((release) => {
    const { minor } = release.spec;
    const problem = windowProblem(plan, minor);
    if (problem === undefined || (running !== undefined && minorOf(running) === minor)) return release;
    const { enforcement, explanation } = enforcementOf(plan.spec, { limit: 'kubernetes', limitedValue: minor }, nowMs);
    if (enforcement === 'Ignore') return release;
    const text = `${problem}${explanation}`;
    return withPlan(release, enforcement === 'Refuse' ? { planProblem: text } : { planWarning: text });
  });
}

/** Why the plan does not allow a minor version; undefined if it does. Pure. */
export function windowProblem({ metadata: { name }, spec }: PlanWithName, minor: string): string | undefined {
  const { oldest, newest } = spec.kubernetes ?? {};
  if (newest !== undefined && isOlder(newest, minor)) {
    return `is newer than ${newest}, the newest version of plan "${name}"`;
  }
  if (oldest !== undefined && isOlder(minor, oldest)) {
    return `is older than ${oldest}, the oldest version of plan "${name}"`;
  }
  return undefined;
}

function isOlder(a: string, b: string): boolean {
  const left = partsOf(a);
  const right = partsOf(b);
  return left.major === right.major ? left.minor < right.minor : left.major < right.major;
}

/** Cached, because every reconcile of a cluster reads the catalogue, whose patches are cached by object identity. */
const lastResults = new WeakMap<KubernetesRelease, ReleaseOfPlan>();

function withPlan(
  release: KubernetesRelease,
  fields: Pick<ReleaseOfPlan, 'planProblem' | 'planWarning'>,
): ReleaseOfPlan {
  const last = lastResults.get(release);
  if (last && last.planProblem === fields.planProblem && last.planWarning === fields.planWarning) return last;
  const result = { ...release, ...fields };
  lastResults.set(release, result);
  return result;
}
