import type { FieldError } from '@fairway/kube/object/field-error';
import type { Plan } from '../kinds/plan.ts';
import { isSameNote, isSameValue, sharedNotes, statedLimits, statedValue } from '../limits/shared-limits.ts';

/** A Plan to store, and the facts to validate it against. */
export interface PlanAdmission {
  readonly plan: Plan;
  /** The stored object; undefined on create. */
  readonly old: Plan | undefined;
  /** All stored Plans. */
  readonly plans: readonly Plan[];
}

/**
 * Validates what a Plan shares with others. Values of a Plan that were stored before the Plan in `limitsFrom` stated
 * others are not rejected: Fairway replaces them. Pure.
 */
export function admitPlan(admission: PlanAdmission): readonly FieldError[] {
  const { plan, old } = admission;
  const base = baseOf(admission);
  const isNew = old?.spec.limitsFrom !== plan.spec.limitsFrom;
  return [...(isNew ? referenceErrors(admission, base) : []), ...(base ? conflictErrors(admission, base, isNew) : [])];
}

/** Warnings about Plans that are valid, but not what the operator may expect. Pure. */
export function planWarnings(admission: PlanAdmission): readonly string[] {
  const { plan, old } = admission;
  const { limitsFrom } = plan.spec;
  const base = baseOf(admission);
  if (limitsFrom === undefined || limitsFrom === plan.metadata.name) return [];
  if (base === undefined) {
    return [`spec.limitsFrom: plan "${limitsFrom}" does not exist: clusters cannot use this plan until you create it`];
  }
  if (old === undefined) return [];
  return statedLimits(base).flatMap(({ path, value }) => {
    const isRemoved = isSameValue(statedValue(old, path), value) && statedValue(plan, path) === undefined;
    if (!isRemoved) return [];
    return [`spec.${path}: Fairway restores ${shown(value)}: ${adviceOf(base)}`];
  });
}

function baseOf({ plan, plans }: PlanAdmission): Plan | undefined {
  return plans.find(({ metadata }) => metadata.name === plan.spec.limitsFrom);
}

function referenceErrors({ plan, plans }: PlanAdmission, base: Plan | undefined): FieldError[] {
  const { name } = plan.metadata;
  const { limitsFrom: value } = plan.spec;
  if (value === undefined) return [];
  const problem = value === name ? 'a plan cannot share its own limits: name another plan' : baseProblem(base);
  if (problem !== undefined) return [{ type: 'FieldValueInvalid', field: 'spec.limitsFrom', value, detail: problem }];
  const users = plans.filter(({ spec }) => spec.limitsFrom === name).map(({ metadata }) => metadata.name ?? '');
  const [first] = users.sort();
  if (first === undefined) return [];
  const detail = `plan "${first}" has limitsFrom: ${name}, and a plan whose limits others share must state them itself: change plan "${first}" first`;
  return [{ type: 'FieldValueForbidden', field: 'spec.limitsFrom', detail }];
}

function baseProblem(base: Plan | undefined): string | undefined {
  if (base === undefined) return undefined;
  if (base.metadata.deletionTimestamp !== undefined) return 'the plan is being deleted: name another plan';
  const { limitsFrom } = base.spec;
  if (limitsFrom === undefined) return undefined;
  return `the plan has limitsFrom itself: name a plan that states its own limits, such as "${limitsFrom}"`;
}

function conflictErrors({ plan, old }: PlanAdmission, base: Plan, isNew: boolean): FieldError[] {
  const stored = isNew ? undefined : old;
  const detailOf = (value: unknown) => `plan "${base.metadata.name}" states ${shown(value)}: ${adviceOf(base)}`;
  const limits = statedLimits(base).flatMap(({ path, value }): FieldError[] => {
    const own = statedValue(plan, path);
    if (own === undefined || isSameValue(own, value)) return [];
    if (stored && isSameValue(own, statedValue(stored, path))) return [];
    return [{ type: 'FieldValueInvalid', field: `spec.${path}`, value: own, detail: detailOf(value) }];
  });
  const notes = (plan.spec.limitNotes ?? []).flatMap((note, index): FieldError[] => {
    const shared = sharedNotes(base).find((each) => isSameNote(each, note));
    if (shared === undefined || isSameValue(shared, note)) return [];
    if (stored?.spec.limitNotes?.some((each) => isSameValue(each, note))) return [];
    const detail = `plan "${base.metadata.name}" has a note on the same limit and value: ${adviceOf(base)}`;
    return [
      {
        type: 'FieldValueInvalid',
        field: `spec.limitNotes[${index}]`,
        value: `${note.limit} ${note.value}`.trim(),
        detail,
      },
    ];
  });
  return [...limits, ...notes];
}

const MAX_SHOWN_CHARS = 200;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

function adviceOf({ metadata: { name } }: Plan): string {
  return `it is copied from there (spec.limitsFrom): remove it here, or change it in plan "${name}"`;
}
