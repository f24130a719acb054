import type { Plan, PlanSpec } from '../kinds/plan.ts';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { CLUSTER_LIMITS, NETWORK_LIMITS, OTHER_CLUSTER_LIMITS } from './catalogue-clusters.ts';
import { MAGNUM_LIMITS } from './catalogue-magnum.ts';
import { NODE_LIMITS } from './catalogue-nodes.ts';
import { SERVICE_FAMILY_LIMIT, SERVICE_LIMITS } from './catalogue-services.ts';
import { STORAGE_LIMITS } from './catalogue-storage.ts';
import type { LimitDefinition, LimitStatement } from './definition.ts';
import { enforcementOf } from './notes.ts';

/** All limits, in the order of the limits page: the only list from which users read what a plan does not support. */
export const LIMIT_CATALOGUE: readonly LimitDefinition[] = [
  ...MAGNUM_LIMITS.filter(({ limit }) => limit === 'magnum.coe'),
  ...CLUSTER_LIMITS,
  SERVICE_FAMILY_LIMIT,
  ...MAGNUM_LIMITS.filter(({ limit }) => limit === 'magnum.networkDrivers'),
  ...NETWORK_LIMITS,
  ...SERVICE_LIMITS,
  ...STORAGE_LIMITS,
  ...NODE_LIMITS,
  ...OTHER_CLUSTER_LIMITS,
];

/** A limit of a plan: what it states, and the operator's notes on it. */
export interface PlanLimit {
  readonly limit: LimitDefinition['limit'];
  readonly heading: string;
  readonly statement: LimitStatement;
  /** Only notes that still apply. */
  readonly notes: readonly LimitNote[];
}

type LimitedPlan = Pick<Plan, 'metadata' | 'spec'>;

/** The service that a plan belongs to. Pure. */
export function serviceOf({ spec }: { readonly spec: Pick<PlanSpec, 'service' | 'displayName'> }): string {
  return spec.service ?? spec.displayName;
}

/** The limits that a plan has at a time, in the order of the catalogue. `brand` is the cloud's name. Pure. */
export function limitsOfPlan(
  plan: LimitedPlan,
  { brand, nowMs }: { readonly brand: string; readonly nowMs: number },
): readonly PlanLimit[] {
  const { spec } = plan;
  const service = serviceOf(plan);
  return LIMIT_CATALOGUE.flatMap(({ limit, heading, state }): PlanLimit[] => {
    const notes = (spec.limitNotes ?? []).filter((note) => note.limit === limit);
    const isEnded = (value?: string) => {
      const [first] = notes;
      if (first === undefined) return false;
      return enforcementOf(spec, { limit: first.limit, limitedValue: value }, nowMs).enforcement === 'Ignore';
    };
    const statement = state(spec, { brand, service, isEnded });
    if (statement === undefined) return [];
    const { unsupported = [undefined] } = statement;
    if (unsupported.every((value) => isEnded(value))) return [];
    const current = notes.filter(({ value }) => !isEnded(value === '' ? undefined : value));
    return [{ limit, heading, statement, notes: current }];
  });
}
