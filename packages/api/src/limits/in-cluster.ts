import type { PlanSpec } from '../kinds/plan.ts';
import type { FeatureName, LimitName } from '../kinds/plan-limits.ts';
import { FEATURES, isFeatureAllowed } from './features.ts';
import { enforcementOf } from './notes.ts';

/** The settings of a plan that limit objects within its clusters. */
export type InClusterLimits = Pick<PlanSpec, 'services' | 'allowed' | 'storage' | 'limitNotes'>;

/** The plan's limits of objects within its clusters. Pure. */
export function inClusterLimits({ services, allowed, storage, limitNotes }: InClusterLimits): InClusterLimits {
  const { features } = allowed ?? {};
  return {
    ...(services && { services }),
    ...(features && { allowed: { features } }),
    ...(storage && { storage }),
    ...(limitNotes && { limitNotes }),
  };
}

/** How an object within a cluster exceeds a limit of the cluster's plan. */
export interface Excess {
  readonly limit: LimitName;
  /** The value that the limit excludes, as in the plan's notes; undefined if notes cannot name it. */
  readonly value?: string;
  /** Names the field, and what to do. */
  readonly problem: string;
}

/** Messages about excesses, each with the plan's note at its end. */
export interface EnforcedExcesses {
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

/** What happens to an object with these excesses. Pure. */
export function enforceLimits(
  excesses: readonly Excess[],
  limits: Pick<InClusterLimits, 'limitNotes'>,
  nowMs: number,
): EnforcedExcesses {
  const enforced = excesses.map(({ limit, value, problem }) => {
    const { enforcement, explanation } = enforcementOf(limits, { limit, limitedValue: value }, nowMs);
    return { enforcement, message: `${problem}${explanation}` };
  });
  const messagesOf = (wanted: 'Refuse' | 'Warn') =>
    enforced.flatMap(({ enforcement, message }) => (enforcement === wanted ? [message] : []));
  return { refusals: messagesOf('Refuse'), warnings: messagesOf('Warn') };
}

/** The excess of an object that uses the feature; undefined if the plan includes it. Pure. */
export function featureExcess(limits: Pick<InClusterLimits, 'allowed'>, name: FeatureName): Excess | undefined {
  if (isFeatureAllowed(limits, name)) return undefined;
  const { description = name } = FEATURES.find((feature) => feature.name === name) ?? {};
  return {
    limit: 'allowed.features',
    value: name,
    problem: `the cluster's plan does not include ${description}: choose another plan, or ask the operator`,
  };
}

/** Timers cannot wait for months. */
const MAX_DELAY_MS = 86_400_000;

/**
 * The time until a note's date next changes how a limit is enforced, in ms, at most a day; undefined if no date is
 * ahead. Pure.
 */
export function enforcementChangeDelayMs(
  { limitNotes = [] }: Pick<InClusterLimits, 'limitNotes'>,
  nowMs: number,
): number | undefined {
  const changesMs = limitNotes
    .flatMap(({ since, until }) => [since, until])
    .map((day) => (day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`)))
    .filter((ms) => ms > nowMs);
  return changesMs.length === 0 ? undefined : Math.min(Math.min(...changesMs) - nowMs, MAX_DELAY_MS);
}
