import { createHash } from 'node:crypto';
import { z } from 'zod';
import { COPIED_LIMITS_ANNOTATION } from '../group.ts';
import type { Plan } from '../kinds/plan.ts';
import { type LimitNote, MAX_LIMIT_NOTES } from '../kinds/plan-limits.ts';
import { COPIED_PATHS, isSameNote, isSameValue, sharedNotes, statedLimits, statedValue } from './shared-limits.ts';

/**
 * The annotation of a Plan with copied limits. It is written by the same request as the limits: either both are stored
 * or neither is. It also belongs to a Plan that is restored from a backup, which has no managed fields.
 */
const copyRecord = z.object({
  /** Name of the Plan from which the limits were copied. */
  from: z.string(),
  /** Digests of the copied values, by path. A value that has changed since is the Plan's own. */
  limits: z.record(z.string(), z.string()),
  /** Digests of the copied notes. */
  notes: z.array(z.string()),
});

type CopyRecord = z.infer<typeof copyRecord>;

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
  if (limitsFrom === plan.metadata.name) {
    return `${field} a plan cannot share its own limits: name another plan, or remove the field`;
  }
  if (base === undefined) return `${field} no such plan exists: create it, or name another plan`;
  if (base.metadata.deletionTimestamp !== undefined) return `${field} the plan is being deleted: name another plan`;
  if (base.spec.limitsFrom !== undefined) {
    return `${field} the plan has limitsFrom itself (${base.spec.limitsFrom}): name a plan that states its own limits`;
  }
  const { length } = mergedNotes(plan, sharedNotes(base));
  if (length <= MAX_LIMIT_NOTES) return undefined;
  return `spec.limitNotes: with those of plan "${limitsFrom}" there are ${length}, but at most ${MAX_LIMIT_NOTES} are possible: remove some`;
}

/**
 * A JSON merge patch that copies the limits of `base` into a Plan and removes those that were copied before; undefined
 * if everything is up to date, or if nothing can be copied. The API server refuses it if the Plan has changed since.
 *
 * Not server-side apply: if that removes the last member of an object of a custom resource, kube-apiserver 1.20.2 sets
 * the object to null, which its own validation then refuses; and in a restored Plan, no manager owns the copied fields.
 * Pure.
 */
export function copyPatch(plan: Plan, base: Plan | undefined): object | undefined {
  const { uid, resourceVersion, annotations, deletionTimestamp } = plan.metadata;
  const isMarked = annotations?.[COPIED_LIMITS_ANNOTATION] !== undefined;
  const isShared = plan.spec.limitsFrom !== undefined;
  if (deletionTimestamp !== undefined || !(isShared || isMarked)) return undefined;
  if (isShared && (base === undefined || baseProblem(plan, base) !== undefined || isCopied(plan, base))) {
    return undefined;
  }
  const source = isShared ? base : undefined;
  const limits = source ? statedLimits(source) : [];
  const notes = mergedNotes(plan, source ? sharedNotes(source) : []);
  const removed = copiedPaths(plan).filter((path) => !limits.some((limit) => limit.path === path));
  const areNotesChanged = !isSameValue(notes, plan.spec.limitNotes ?? []);
  return {
    metadata: {
      uid,
      resourceVersion,
      annotations: { [COPIED_LIMITS_ANNOTATION]: source ? recordText(source) : null },
    },
    spec: {
      ...nested([
        ...removed.map((path) => [path, null] as const),
        ...limits.map(({ path, value }) => [path, value] as const),
      ]),
      ...(areNotesChanged && { limitNotes: notes.length > 0 ? notes : null }),
    },
  };
}

function isCopied(plan: Plan, base: Plan): boolean {
  const { limitNotes = [] } = plan.spec;
  return (
    plan.metadata.annotations?.[COPIED_LIMITS_ANNOTATION] === recordText(base) &&
    statedLimits(base).every(({ path, value }) => isSameValue(statedValue(plan, path), value)) &&
    sharedNotes(base).every((note) => limitNotes.some((each) => isSameValue(each, note)))
  );
}

function recordText(base: Plan): string {
  const record: CopyRecord = {
    from: base.metadata.name ?? '',
    limits: Object.fromEntries(statedLimits(base).map(({ path, value }) => [path, digestOf(value)])),
    notes: sharedNotes(base).map(noteDigest),
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

/** The paths whose values were copied and are unchanged. */
function copiedPaths(plan: Plan): readonly (typeof COPIED_PATHS)[number][] {
  const digests = new Map(Object.entries(recordOf(plan)?.limits ?? {}));
  return COPIED_PATHS.filter((path) => {
    const value = statedValue(plan, path);
    return value !== undefined && digests.get(path) === digestOf(value);
  });
}

/** The Plan's own notes, which were not copied and do not explain the same as the shared ones, and the shared ones. */
function mergedNotes(plan: Plan, shared: readonly LimitNote[]): readonly LimitNote[] {
  const copied = new Set(recordOf(plan)?.notes);
  const own = (plan.spec.limitNotes ?? []).filter(
    (note) => !copied.has(noteDigest(note)) && !shared.some((each) => isSameNote(each, note)),
  );
  return [...own, ...shared];
}

/** Independent of the order in which an API server returns the fields. */
function noteDigest(note: LimitNote): string {
  const fields = Object.entries(note).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(fields);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
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
