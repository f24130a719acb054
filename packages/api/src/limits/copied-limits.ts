import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { API_VERSION, COPIED_LIMITS_ANNOTATION } from '../group.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { type LimitNote, MAX_LIMIT_NOTES } from '../kinds/plan-limits.ts';
import {
  COPIED_PATHS,
  isSameNote,
  isSameValue,
  type StatedLimit,
  sharedNotes,
  statedLimits,
  statedValue,
} from './shared-limits.ts';

/**
 * The annotation of a Plan with copied limits. It is written by the same request as the limits: either both are stored
 * or neither is.
 */
const copyRecord = z.object({
  /** Name of the Plan from which the limits were copied. */
  from: z.string(),
  /** UID of the Plan with the annotation: a restored or copied Plan has the annotation of another one. */
  uid: z.string(),
  /** The copied paths. */
  limits: z.array(z.string()),
  /** Limit and value of each copied note. */
  notes: z.array(z.tuple([z.string(), z.string()])),
});

type CopyRecord = z.infer<typeof copyRecord>;

/** The next write that brings the copied limits of a Plan up to date. */
export type CopyStep =
  /** Server-side apply by the manager of copied limits. */
  | { readonly kind: 'apply'; readonly object: KubeObject & { readonly spec: object } }
  /** JSON merge patch: removes limits that were copied into another Plan, of which this one is a copy. */
  | { readonly kind: 'patch'; readonly value: object };

/**
 * Why clusters cannot use a Plan with `limitsFrom`, `base` being the Plan of that name, if any; undefined if its limits
 * are complete. Pure.
 */
export function sharedLimitsProblem(plan: Plan, base: Plan | undefined): string | undefined {
  const { limitsFrom } = plan.spec;
  if (limitsFrom === undefined) return undefined;
  const problem = baseProblem(plan, base);
  if (problem !== undefined || base === undefined) return problem;
  if (isCopied(plan, base)) return undefined;
  return `spec.limitsFrom: the limits of plan "${limitsFrom}" are not copied yet: Fairway copies them within seconds; if it does not, check that its controllers run`;
}

/** Why nothing can be copied from the Plan that `plan` names. */
function baseProblem(plan: Plan, base: Plan | undefined): string | undefined {
  const { limitsFrom } = plan.spec;
  const field = `spec.limitsFrom: ${limitsFrom}:`;
  if (limitsFrom === plan.metadata.name)
    return `${field} a plan cannot share its own limits: name another plan, or remove the field`;
  if (base === undefined) return `${field} no such plan exists: create it, or name another plan`;
  if (base.metadata.deletionTimestamp !== undefined) return `${field} the plan is being deleted: name another plan`;
  if (base.spec.limitsFrom !== undefined) {
    return `${field} the plan has limitsFrom itself (${base.spec.limitsFrom}): name a plan that states its own limits`;
  }
  const { length } = mergedNotes(plan, base);
  if (length <= MAX_LIMIT_NOTES) return undefined;
  return `spec.limitNotes: with those of plan "${limitsFrom}" there are ${length}, but at most ${MAX_LIMIT_NOTES} are possible: remove some`;
}

/** The next write to copy limits into a Plan, or to remove copied ones; undefined if everything is up to date. Pure. */
export function nextCopyStep(plan: Plan, base: Plan | undefined): CopyStep | undefined {
  const { uid, name, annotations = {}, deletionTimestamp } = plan.metadata;
  if (deletionTimestamp !== undefined || uid === undefined || name === undefined) return undefined;
  const { limitsFrom } = plan.spec;
  const isMarked = annotations[COPIED_LIMITS_ANNOTATION] !== undefined;
  if (isMarked && recordOf(plan)?.uid !== uid) return { kind: 'patch', value: withoutCopies(plan) };
  const identity = { apiVersion: API_VERSION, kind: 'Plan' };
  if (limitsFrom === undefined) {
    return isMarked
      ? { kind: 'apply', object: { ...identity, metadata: { name, uid }, spec: appliedSpec(plan, [], []) } }
      : undefined;
  }
  if (base === undefined || baseProblem(plan, base) !== undefined || isCopied(plan, base)) return undefined;
  const metadata = { name, uid, annotations: { [COPIED_LIMITS_ANNOTATION]: recordText(plan, base) } };
  const spec = appliedSpec(plan, statedLimits(base), sharedNotes(base));
  return { kind: 'apply', object: { ...identity, metadata, spec } };
}

/**
 * The spec to apply. It contains the objects and the list that the plan already has, even if they are empty: if the last
 * member is no longer applied, kube-apiserver would otherwise set them to null, which is invalid.
 */
function appliedSpec(plan: Plan, limits: readonly StatedLimit[], notes: readonly LimitNote[]): object {
  const parents = COPIED_PATHS.map(headOf).filter((head) => isObject(plan.spec[head]));
  const hasNotes = plan.spec.limitNotes !== undefined || notes.length > 0;
  return {
    ...Object.fromEntries(parents.map((head) => [head, {}])),
    ...nested(limits.map(({ path, value }) => [path, value])),
    ...(hasNotes && { limitNotes: notes }),
  };
}

function headOf(path: string): keyof PlanSpec {
  return path.split('.')[0] as keyof PlanSpec;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isCopied(plan: Plan, base: Plan): boolean {
  const { limitNotes = [] } = plan.spec;
  return (
    plan.metadata.annotations?.[COPIED_LIMITS_ANNOTATION] === recordText(plan, base) &&
    statedLimits(base).every(({ path, value }) => isSameValue(statedValue(plan, path), value)) &&
    sharedNotes(base).every((note) => limitNotes.some((each) => isSameValue(each, note)))
  );
}

function recordText(plan: Plan, base: Plan): string {
  const record: CopyRecord = {
    from: base.metadata.name ?? '',
    uid: plan.metadata.uid ?? '',
    limits: statedLimits(base).map(({ path }) => path),
    notes: sharedNotes(base).map(({ limit, value }) => [limit, value]),
  };
  return JSON.stringify(record);
}

/** Undefined if there is none, or if it is not one that Fairway wrote. */
function recordOf({ metadata }: Plan): CopyRecord | undefined {
  try {
    return copyRecord.safeParse(JSON.parse(metadata.annotations?.[COPIED_LIMITS_ANNOTATION] ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** The notes of `plan` that it had before the copy, and those of `base`. */
function mergedNotes(plan: Plan, base: Plan): readonly unknown[] {
  const notes = sharedNotes(base);
  const copied = recordOf(plan)?.notes ?? [];
  const own = (plan.spec.limitNotes ?? []).filter(
    (note) =>
      !notes.some((each) => isSameNote(each, note)) &&
      !copied.some(([limit, value]) => limit === note.limit && value === note.value),
  );
  return [...own, ...notes];
}

/**
 * A merge patch that removes the limits of another Plan's record, and the record. It is refused if the Plan has changed
 * since.
 */
function withoutCopies(plan: Plan): object {
  const { uid, resourceVersion } = plan.metadata;
  const record = recordOf(plan);
  const paths = (record?.limits ?? []).filter((path) => COPIED_PATHS.some((each) => each === path));
  const { limitNotes = [] } = plan.spec;
  const own = limitNotes.filter(
    ({ limit, value }) => record?.notes.some((each) => each[0] === limit && each[1] === value) !== true,
  );
  return {
    metadata: { uid, resourceVersion, annotations: { [COPIED_LIMITS_ANNOTATION]: null } },
    spec: {
      ...nested(paths.map((path) => [path, null])),
      ...(own.length < limitNotes.length && { limitNotes: own.length > 0 ? own : null }),
    },
  };
}

/** `[['a.b', 1]]` as `{ a: { b: 1 } }`. */
function nested(values: readonly (readonly [path: string, value: unknown])[]): object {
  const result: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const [head = '', tail] = path.split('.');
    result[head] = tail === undefined ? value : { ...(result[head] as object | undefined), [tail]: value };
  }
  return result;
}
