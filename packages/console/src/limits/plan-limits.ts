import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { FeatureName, LimitName, LimitNote } from '@fairway/api/kinds/plan-limits';
import { isoOf } from '../text/time.ts';

/** Features that a plan can exclude. */
const FEATURES = [
  'Autoscaling',
  'ClusterAudit',
  'ExternalAutoscaler',
  'FloatingIPs',
  'Gateways',
  'Hibernation',
  'Ingresses',
  'KeystoneUsers',
  'OIDC',
  'Reset',
  'Shares',
  'VolumeSnapshots',
] as const satisfies readonly FeatureName[];

type LimitedPlan = Pick<PlanSpec, 'kubernetes' | 'allowed' | 'limitNotes'>;
/** The parts of a plan that limit what users see here and in their clusters. */
type PlanLimits = LimitedPlan & Partial<Pick<PlanSpec, 'network' | 'services' | 'storage'>>;

/** Limits that list the values that users can choose. */
const CHOICES: Readonly<Partial<Record<LimitName, (plan: PlanLimits) => readonly string[] | undefined>>> = {
  'network.ipFamilies': ({ network }) => network?.ipFamilies,
  'services.types': ({ services }) => services?.types,
  'services.ipFamilies': ({ services }) => services?.ipFamilies,
  'services.loadBalancerProviders': ({ services }) => services?.loadBalancerProviders,
  'storage.accessModes': ({ storage }) => storage?.accessModes,
};
/** Limits that list the values that users cannot choose; an empty list means none at all. */
const EXCLUSIONS: Readonly<Partial<Record<LimitName, (plan: PlanLimits) => readonly string[] | undefined>>> = {
  'services.refusedAnnotations': ({ services }) => services?.refusedAnnotations?.map(({ key }) => key),
  'storage.tenantClasses': ({ storage }) => (storage?.tenantClasses === 'Refused' ? [] : undefined),
};

/** A limit that a value exceeds. The API decides; the forms follow the same rules. */
export interface ExceededLimit {
  /** Whether requests are refused; otherwise the API only warns. */
  readonly isRefused: boolean;
  readonly note: LimitNote | undefined;
}

/** The plan's limit on a minor version; undefined if the plan allows it. */
export function versionLimit(plan: LimitedPlan | undefined, minor: string, nowMs: number): ExceededLimit | undefined {
  const { oldest, newest } = plan?.kubernetes ?? {};
  const isNewer = newest !== undefined && versionNumber(minor) > versionNumber(newest);
  const isOlder = oldest !== undefined && versionNumber(minor) < versionNumber(oldest);
  return plan !== undefined && (isNewer || isOlder) ? exceeded(plan, 'kubernetes', minor, nowMs) : undefined;
}

/** The plan's limit on a feature; undefined if the plan includes it. */
export function featureLimit(
  plan: LimitedPlan | undefined,
  feature: FeatureName,
  nowMs: number,
): ExceededLimit | undefined {
  if (plan?.allowed?.features?.includes(feature) ?? true) return undefined;
  return plan && exceeded(plan, 'allowed.features', feature, nowMs);
}

function exceeded(plan: LimitedPlan, limit: LimitName, value: string, nowMs: number): ExceededLimit | undefined {
  const notes = (plan.limitNotes ?? []).filter((note) => note.limit === limit);
  const note = notes.find((each) => each.value === value) ?? notes.find((each) => each.value === '');
  const day = dayOf(nowMs);
  if (note !== undefined && isOver(note, day)) return undefined;
  return { isRefused: note === undefined || (note.enforcement === 'Refuse' && !isAnnounced(note, day)), note };
}

/** A limit of a plan, for users who choose a plan. */
export interface LimitRow {
  readonly key: string;
  readonly limit: LimitName;
  /** The excluded value; empty if the row is about the whole limit. */
  readonly value: string;
  /** The values that the plan allows or excludes; undefined if it lists none. */
  readonly allowed?: readonly string[] | undefined;
  readonly excluded?: readonly string[] | undefined;
  readonly isRefused: boolean;
  /** The day from which requests are refused, if that is in the future. */
  readonly since: string | undefined;
  /** The day from which requests are allowed. */
  readonly until: string | undefined;
  readonly reason: string | undefined;
  readonly alternative: string | undefined;
  /** Only an https URL. */
  readonly link: string | undefined;
}

/** The limits that users should know: versions, excluded features, limits in clusters, and everything that has a note. */
export function limitRows(plan: PlanLimits, nowMs: number): readonly LimitRow[] {
  const { kubernetes, allowed, limitNotes = [] } = plan;
  const hasWindow = kubernetes?.oldest !== undefined || kubernetes?.newest !== undefined;
  const hasGeneralNote = (limit: LimitName) => limitNotes.some((note) => note.limit === limit && note.value === '');
  const excluded = allowed?.features === undefined ? [] : FEATURES.filter((name) => !allowed.features?.includes(name));
  const lists = [...Object.entries(CHOICES), ...Object.entries(EXCLUSIONS)] as [
    LimitName,
    (plan: PlanLimits) => readonly string[] | undefined,
  ][];
  const isListed = ([limit, valuesOf]: (typeof lists)[number]) =>
    valuesOf(plan) !== undefined && !hasGeneralNote(limit);
  const withoutNote: readonly { readonly limit: LimitName; readonly value: string }[] = [
    ...(hasWindow && !hasGeneralNote('kubernetes') ? [{ limit: 'kubernetes', value: '' } as const] : []),
    ...lists.filter(isListed).map(([limit]) => ({ limit, value: '' })),
    ...excluded
      .filter((value) => !limitNotes.some((note) => note.limit === 'allowed.features' && note.value === value))
      .map((value) => ({ limit: 'allowed.features', value }) as const),
  ];
  const day = dayOf(nowMs);
  const generalFeatureNote = limitNotes.find(({ limit, value }) => limit === 'allowed.features' && value === '');
  const rows = [
    ...withoutNote.map((row) => rowOf(row, row.limit === 'allowed.features' ? generalFeatureNote : undefined, day)),
    // Each excluded feature has a row, with the note on all of them.
    ...limitNotes.filter((note) => note !== generalFeatureNote).map((note) => rowOf(note, note, day)),
  ];
  return rows.flatMap((row) => {
    if (row === undefined) return [];
    const { limit, value } = row;
    return [value === '' ? { ...row, allowed: CHOICES[limit]?.(plan), excluded: EXCLUSIONS[limit]?.(plan) } : row];
  });
}

function rowOf(
  { limit, value }: { readonly limit: LimitName; readonly value: string },
  note: LimitNote | undefined,
  day: string,
): LimitRow | undefined {
  if (note !== undefined && isOver(note, day)) return undefined;
  const announced = note !== undefined && isAnnounced(note, day);
  return {
    key: `${limit} ${value}`,
    limit,
    value,
    isRefused: !announced && note?.enforcement !== 'Warn',
    since: announced ? note.since : undefined,
    until: note?.until,
    reason: note?.reason,
    alternative: note?.alternative,
    link: safeLink(note?.link),
  };
}

/** The operator's link if it is an https URL: a stored object may hold anything. */
export function safeLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return protocol === 'https:' ? href : undefined;
}

function isOver({ until }: LimitNote, day: string): boolean {
  return until !== undefined && until <= day;
}

function isAnnounced({ since }: LimitNote, day: string): boolean {
  return since !== undefined && since > day;
}

function dayOf(nowMs: number): string {
  return isoOf(nowMs).slice(0, 10);
}

/** Sorts minor versions. */
export function versionNumber(minor: string): number {
  const [major = 0, number = 0] = minor.split('.').map(Number);
  return major * 1000 + number;
}
