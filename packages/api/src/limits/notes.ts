import type { FieldError } from '@fairway/kube/object/field-error';
import { dayOf } from '../domain/usage/amounts.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { type LimitName, type LimitNote, UNCONDITIONAL_LIMITS } from '../kinds/plan-limits.ts';

/** An error caused by a plan's limit, before the plan's note on that limit is applied. */
export interface LimitError extends FieldError {
  readonly limit: LimitName;
  /** The value that the limit excludes, written as in the plan's notes. */
  readonly limitedValue?: string | undefined;
}

/** Marks `error` as caused by the plan's `limit`. */
export function limitError(limit: LimitName, error: FieldError, limitedValue?: string): LimitError {
  return { ...error, limit, limitedValue };
}

/** What happens to a request beyond a limit. */
export type Enforcement = 'Refuse' | 'Warn' | 'Ignore';

const REFUSED: { readonly enforcement: Enforcement; readonly explanation: string } = {
  enforcement: 'Refuse',
  explanation: '',
};

/** The note on a limit: the one for this value, or else the one for all values. Pure. */
export function noteOn(
  { limitNotes = [] }: Pick<PlanSpec, 'limitNotes'>,
  limit: LimitName,
  value: string | undefined,
): LimitNote | undefined {
  const notes = limitNotes.filter((note) => note.limit === limit);
  return notes.find((note) => value !== undefined && note.value === value) ?? notes.find((note) => note.value === '');
}

/** How a limit is enforced at a given time, and its note, phrased as the end of an error message. Pure. */
export function enforcementOf(
  plan: Pick<PlanSpec, 'limitNotes'>,
  { limit, limitedValue }: Pick<LimitError, 'limit' | 'limitedValue'>,
  nowMs: number,
): { readonly enforcement: Enforcement; readonly explanation: string } {
  const note = noteOn(plan, limit, limitedValue);
  if (note === undefined) return REFUSED;
  const day = dayOf(nowMs);
  if (UNCONDITIONAL_LIMITS.includes(limit)) return { enforcement: 'Refuse', explanation: explanationOf(note, false) };
  if (note.until !== undefined && note.until <= day) return { enforcement: 'Ignore', explanation: '' };
  const isAnnounced = note.since !== undefined && note.since > day;
  return { enforcement: isAnnounced ? 'Warn' : note.enforcement, explanation: explanationOf(note, isAnnounced) };
}

/** Why the plan refuses a value beyond `limit`, with its note; undefined if it does not. Pure. */
export function refusalOf(
  { spec }: Pick<Plan, 'spec'>,
  {
    limit,
    value,
    problem,
  }: { readonly limit: LimitName; readonly value: string; readonly problem: string | undefined },
  nowMs: number,
): string | undefined {
  if (problem === undefined) return undefined;
  const { enforcement, explanation } = enforcementOf(spec, { limit, limitedValue: value }, nowMs);
  return enforcement === 'Refuse' ? `${problem}${explanation}` : undefined;
}

/** Applies a plan's notes, which determine which errors remain and which become mere warnings. Pure. */
export function applyLimitNotes(
  errors: readonly (FieldError | LimitError)[],
  { spec }: Pick<Plan, 'spec'>,
  nowMs: number,
): { readonly errors: readonly FieldError[]; readonly warnings: readonly string[] } {
  const refused: FieldError[] = [];
  const warnings: string[] = [];
  for (const error of errors) {
    if (!isLimitError(error)) {
      refused.push(error);
      continue;
    }
    const { limit, limitedValue, ...fieldError } = error;
    const { enforcement, explanation } = enforcementOf(spec, { limit, limitedValue }, nowMs);
    const detail = `${fieldError.detail}${explanation}`;
    if (enforcement === 'Refuse') refused.push({ ...fieldError, detail });
    if (enforcement === 'Warn') warnings.push(`${fieldError.field}: ${detail}`);
  }
  return { errors: refused, warnings };
}

function isLimitError(error: FieldError | LimitError): error is LimitError {
  return 'limit' in error;
}

/** The note, as one sentence per field, in the order in which readers need them. */
function explanationOf({ since, until, reason, alternative, link }: LimitNote, isAnnounced: boolean): string {
  const dates = [
    ...(isAnnounced ? [`refused from ${since} on`] : []),
    ...(until === undefined ? [] : [`allowed from ${until} on`]),
  ];
  const parts = [
    ...(dates.length === 0 ? [] : [dates.join(', ')]),
    ...(reason === undefined ? [] : [withoutPeriod(reason)]),
    ...(alternative === undefined ? [] : [withoutPeriod(alternative)]),
    ...(link === undefined ? [] : [`see ${link}`]),
  ];
  return parts.map((part) => `. ${part.charAt(0).toUpperCase()}${part.slice(1)}`).join('');
}

function withoutPeriod(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}
