import type { PlanSpec } from '../kinds/plan.ts';
import type { LimitName } from '../kinds/plan-limits.ts';
import { code, listOf, type RichText, text } from './rich-text.ts';

/** Limits of Fairway itself, which apply to every plan of a service. */
type FixedLimitName = 'magnum.coe' | 'magnum.networkDrivers';

/** What a statement refers to besides the plan. */
export interface StatementContext {
  /** Name of the cloud in running text. */
  readonly brand: string;
  readonly service: string;
  /** Whether the plan no longer enforces the limit on a value, or on all values. */
  readonly isEnded: (value?: string) => boolean;
}

/** Facts about a limit of a plan. */
export interface LimitStatement {
  /** Complete sentences for tenants. */
  readonly sentences: readonly RichText[];
  /** The values that tenants can use; undefined if they cannot be listed. */
  readonly supported?: readonly string[];
  /** The values that tenants cannot use; undefined if they cannot be listed. */
  readonly unsupported?: readonly string[];
}

/** A limit, and how to state it. */
export interface LimitDefinition {
  readonly limit: LimitName | FixedLimitName;
  /** Heading of the limits page, which several limits can share. */
  readonly heading: string;
  /** Facts about the plan; undefined if it does not have the limit. Pure. */
  readonly state: (plan: PlanSpec, context: StatementContext) => LimitStatement | undefined;
}

/** The values that remain, and those that the plan excludes. */
export interface Choice {
  readonly supported: readonly string[];
  readonly unsupported: readonly string[];
}

/** How `allowed` limits a choice between the values `all`; undefined if it excludes none of them. Pure. */
export function choiceOf(
  all: readonly string[],
  allowed: readonly string[] | undefined,
  { isEnded }: Pick<StatementContext, 'isEnded'>,
): Choice | undefined {
  if (allowed === undefined) return undefined;
  const supported = all.filter((value) => allowed.includes(value) || isEnded(value));
  const unsupported = all.filter((value) => !supported.includes(value));
  return unsupported.length === 0 ? undefined : { supported, unsupported };
}

/** For example: The only supported pod network in this cloud is `canal`. You cannot use `cilium`. */
export function choiceSentences({ supported, unsupported }: Choice, noun: ChoiceNoun): readonly RichText[] {
  const { one, many, where } = noun;
  return [
    supported.length === 0
      ? text`${where}, no ${one} is supported.`
      : supported.length === 1
        ? text`${where}, the only supported ${one} is ${listOf(supported.map(code))}.`
        : text`${where}, the supported ${many} are ${listOf(supported.map(code))}.`,
    text`You cannot use ${listOf(unsupported.map(code), 'or')}.`,
  ];
}

/** What the values of a choice are. */
interface ChoiceNoun {
  readonly one: RichText;
  readonly many: RichText;
  /** Start of the sentence. */
  readonly where: RichText;
}

/** Start of a sentence about a service. */
export function inClustersOf({ brand, service }: Pick<StatementContext, 'brand' | 'service'>): RichText {
  return text`In Kubernetes clusters of ${service} in ${brand}`;
}
