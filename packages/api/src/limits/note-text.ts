import type { PlanSpec } from '../kinds/plan.ts';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { enforcementOf } from './notes.ts';
import { code, link, type RichText, text } from './rich-text.ts';

/** A note on a limit as sentences, in the order in which tenants need them. Pure. */
export function noteSentences(note: LimitNote, plan: Pick<PlanSpec, 'limitNotes'>, nowMs: number): readonly RichText[] {
  const { limit, value, enforcement, since, until, reason, alternative, link: url } = note;
  const effective = enforcementOf(plan, { limit, limitedValue: value === '' ? undefined : value }, nowMs).enforcement;
  const isAnnounced = effective === 'Warn' && enforcement === 'Refuse';
  return [
    ...(reason === undefined ? [] : [[sentenceOf(reason)]]),
    ...(alternative === undefined ? [] : [[sentenceOf(alternative)]]),
    ...(isAnnounced && since !== undefined
      ? [text`Refused from ${since} on; until then, requests are accepted with a warning.`]
      : []),
    ...(effective === 'Warn' && !isAnnounced ? [text`Requests are accepted with a warning.`] : []),
    ...(until !== undefined && effective !== 'Ignore' ? [text`Allowed from ${until} on.`] : []),
    ...(url === undefined ? [] : [text`See ${link(url.replace(/^https:\/\//, ''), url)}.`]),
  ];
}

/** The value that a note explains, as the start of a paragraph; empty for a note on all values. */
export function noteSubject({ value }: Pick<LimitNote, 'value'>): RichText {
  return value === '' ? [] : text`${code(value)}: `;
}

/** On one line, with a capital letter and a full stop. */
function sentenceOf(written: string): string {
  const line = written.trim().split(/\s+/).join(' ');
  const sentence = `${line.charAt(0).toUpperCase()}${line.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
