import type { Plan } from '../kinds/plan.ts';
import { LIMIT_CATALOGUE, serviceOf } from './catalogue.ts';
import { code, type RichText, text } from './rich-text.ts';

/** A day on which a limit began or ended. */
interface LimitChange {
  /** Such as 2026-11-30. */
  readonly date: string;
  readonly service: string;
  /** The heading of the limit, the value, and the change. */
  readonly sentence: RichText;
}

/** The dated changes of a plan's limits, from the notes on them, newest first. Pure. */
export function changesOfPlan(plan: Pick<Plan, 'metadata' | 'spec'>, brand: string): readonly LimitChange[] {
  const { spec } = plan;
  const service = serviceOf(plan);
  const limited = LIMIT_CATALOGUE.filter(
    ({ state }) => state(spec, { brand, service, isEnded: () => false }) !== undefined,
  );
  const changes = (spec.limitNotes ?? []).flatMap(({ limit, value, enforcement, since, until }): LimitChange[] => {
    const heading = limited.find((each) => each.limit === limit)?.heading;
    if (heading === undefined) return [];
    const subject = value === '' ? text`${heading}` : text`${heading}, ${code(value)}`;
    const begin = enforcement === 'Warn' ? 'requests are accepted with a warning' : 'no longer supported';
    return [
      ...(since === undefined ? [] : [{ date: since, service, sentence: text`${subject}: ${begin}.` }]),
      ...(until === undefined ? [] : [{ date: until, service, sentence: text`${subject}: supported again.` }]),
    ];
  });
  return changes.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
}
