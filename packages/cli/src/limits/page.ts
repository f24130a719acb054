import type { Plan } from '@fairway/api/kinds/plan';
import { LIMIT_CATALOGUE, limitsOfPlan, type PlanLimit, serviceOf } from '@fairway/api/limits/catalogue';
import { changesOfPlan } from '@fairway/api/limits/history';
import { noteSentences, noteSubject } from '@fairway/api/limits/note-text';
import { code, listOf, type RichText, text } from '@fairway/api/limits/rich-text';

/** The page that states what services do not support, independent of its format. */
export interface LimitsPage {
  readonly title: string;
  readonly services: readonly ServicePart[];
  /** Newest first. */
  readonly changes: readonly { readonly date: string; readonly paragraph: RichText }[];
}

/** The limits of a service by heading. */
interface ServicePart {
  readonly name: string;
  readonly sections: readonly Section[];
}

/** A Plan as far as the page states it. */
export type StatedPlan = Pick<Plan, 'metadata' | 'spec'>;

export interface PageOptions {
  /** Name of the cloud in running text. */
  readonly brand: string;
  readonly nowMs: number;
}

/**
 * The limits page of plans. The plans of a service share a section: what is true of all of them is stated once, the rest
 * with the names of the plans. Pure.
 */
export function limitsPage(plans: readonly StatedPlan[], options: PageOptions): LimitsPage {
  const byService = Map.groupBy(plans, serviceOf);
  return {
    title: 'Kubernetes service limitations',
    services: [...byService].map(([name, members]) => ({ name, sections: sectionsOf(members, options) })),
    changes: [...byService].flatMap(([, members]) => changesOf(members, options)).toSorted(byDate),
  };
}

interface Section {
  readonly heading: string;
  readonly paragraphs: readonly RichText[];
}

/** Paragraphs of one plan, and where they belong. */
interface PlanSection extends Section {
  readonly plan: string;
}

function sectionsOf(plans: readonly StatedPlan[], options: PageOptions): ServicePart['sections'] {
  const limits = plans.map((plan) => ({ plan, limits: limitsOfPlan(plan, options) }));
  const stated = LIMIT_CATALOGUE.flatMap(({ limit }) =>
    mergePlans(
      limits.flatMap(({ plan, limits: own }): PlanSection[] => {
        const found = own.find((each) => each.limit === limit);
        if (found === undefined) return [];
        const { name: planName = '' } = plan.metadata;
        return [{ plan: planName, heading: found.heading, paragraphs: paragraphsOf(found, plan, options) }];
      }),
      plans.length,
    ),
  );
  return [...Map.groupBy(stated, ({ heading }) => heading)].map(([heading, group]) => ({
    heading,
    paragraphs: group.flatMap(({ paragraphs }) => paragraphs),
  }));
}

/** States once what several of the `total` plans have in common. */
function mergePlans(stated: readonly PlanSection[], total: number): readonly Section[] {
  const groups = [...Map.groupBy(stated, ({ paragraphs }) => JSON.stringify(paragraphs)).values()];
  return groups.flatMap((group): Section[] => {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length === total) return [first];
    const names = listOf(group.map(({ plan }) => code(plan)));
    const [start = [], ...more] = first.paragraphs;
    const prefix = group.length === 1 ? text`Plan ${names}: ` : text`Plans ${names}: `;
    return [{ heading: first.heading, paragraphs: [text`${prefix}${start}`, ...more] }];
  });
}

function paragraphsOf({ statement, notes }: PlanLimit, { spec }: StatedPlan, options: PageOptions): RichText[] {
  const explained = notes.flatMap((note) => {
    const sentences = noteSentences(note, spec, options.nowMs);
    return sentences.length === 0 ? [] : [text`${noteSubject(note)}${joined(sentences)}`];
  });
  return [joined(statement.sentences), ...explained];
}

function changesOf(plans: readonly StatedPlan[], { brand }: PageOptions): LimitsPage['changes'] {
  const all = plans.flatMap((plan) =>
    changesOfPlan(plan, brand).map((change) => ({ ...change, plan: plan.metadata.name ?? '' })),
  );
  const groups = Map.groupBy(all, ({ date, sentence }) => JSON.stringify([date, sentence]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { date, service, sentence } = first;
    const names = listOf(group.map(({ plan }) => code(plan)));
    const who = group.length === plans.length ? text`${service}` : text`${service} (${names})`;
    return [{ date, paragraph: text`${who}: ${sentence}` }];
  });
}

function byDate(a: { readonly date: string }, b: { readonly date: string }): number {
  if (a.date === b.date) return 0;
  return a.date < b.date ? 1 : -1;
}

function joined(sentences: readonly RichText[]): RichText {
  return sentences.flatMap((sentence, index) => (index === 0 ? sentence : [' ', ...sentence]));
}
