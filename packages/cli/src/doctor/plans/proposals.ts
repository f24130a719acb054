import type { CloudObservation } from '../cloud-observation.ts';
import { cloudLacks, isMissing, type Lack } from './cloud-lacks.ts';
import { cloudOffers, type Offer } from './cloud-offers.ts';
import {
  hasNoteOn,
  NAME_LIMITS,
  type StatedLimits,
  type StoredPlan,
  VALUE_LIMITS,
  type ValueLimitName,
} from './stated-limits.ts';

/** Fields for the spec of some plans. */
export interface Proposal {
  /** Names of the plans; empty if no plan is known. */
  readonly plans: readonly string[];
  /** Nested like a Plan's spec. `limitNotes` has only the additional notes. */
  readonly spec: ProposedSpec;
}

export interface ProposedSpec {
  readonly [field: string]: unknown;
  readonly limitNotes?: readonly ProposedNote[];
}

export interface ProposedNote {
  readonly limit: string;
  readonly value?: string;
  readonly reason: string;
  readonly alternative?: string;
}

/** A field of a spec by its path, with the notes on it. */
interface ProposedLimit {
  readonly path: string;
  /** Undefined if only the notes are missing. */
  readonly values: readonly string[] | undefined;
  readonly notes: readonly ProposedNote[];
}

/**
 * Limits that state what the cloud lacks, for each plan without them, or for new plans if `plans` is undefined. Plans
 * that need the same fields share a proposal. Pure.
 */
export function proposals(cloud: CloudObservation, plans: readonly StoredPlan[] | undefined): Proposal[] {
  const specs = new Map<string, { readonly spec: ProposedSpec; readonly plans: string[] }>();
  const candidates = plans?.map(({ metadata, spec }) => ({ name: metadata.name, spec })) ?? [
    { name: undefined, spec: {} },
  ];
  for (const { name, spec: stated } of candidates) {
    const spec = proposedSpec(cloud, stated);
    if (Object.keys(spec).length === 0) continue;
    const key = JSON.stringify(spec);
    const group = specs.get(key) ?? { spec, plans: [] };
    specs.set(key, group);
    if (name !== undefined) group.plans.push(name);
  }
  return [...specs.values()];
}

function proposedSpec(cloud: CloudObservation, stated: StatedLimits): ProposedSpec {
  const lacks = cloudLacks(cloud);
  const limits = [
    ...[...new Set(lacks.map(({ limit }) => limit))].flatMap((limit) =>
      exclusion(
        limit,
        lacks.filter((lack) => lack.limit === limit),
        stated,
      ),
    ),
    ...cloudOffers(cloud).flatMap((offer) => listing(offer, stated)),
    ...withoutClasses(cloud, stated),
  ];
  const fields = limits.reduce((spec, { path, values }) => (values ? withField(spec, path, values) : spec), {});
  const notes = limits.flatMap((limit) => limit.notes);
  return notes.length === 0 ? fields : { ...fields, limitNotes: notes };
}

/** The remaining values of a limit, and notes on those that it excludes. */
function exclusion(limit: ValueLimitName, lacks: readonly Lack[], stated: StatedLimits): ProposedLimit[] {
  const { all, read, canBeEmpty } = VALUE_LIMITS[limit];
  const current: readonly string[] = read(stated) ?? all;
  const values = current.filter((value) => !lacks.some((lack) => lack.value === value));
  // No value remains, which only the operator can resolve: the plan's promises report it.
  if (values.length === 0 && !canBeEmpty) return [];
  const notes = lacks
    .filter(({ value }) => !hasNoteOn(stated, limit, value))
    .map(({ value, reason, alternative }) => ({ limit, value, reason, ...(alternative && { alternative }) }));
  const isStated = read(stated) !== undefined && values.length === current.length;
  return isStated && notes.length === 0 ? [] : [{ path: limit, values: isStated ? undefined : values, notes }];
}

/** The whole list of a limit, for plans that state none. */
function listing({ limit, values, reason }: Offer, stated: StatedLimits): ProposedLimit[] {
  if (NAME_LIMITS[limit](stated) !== undefined) return [];
  const alternative = `use ${values.slice(0, MAX_SHOWN).join(' or ')}`;
  const notes = hasNoteOn(stated, limit, '') ? [] : [{ limit, reason, alternative }];
  return [{ path: limit, values, notes }];
}

const MAX_SHOWN = 5;

/** StorageClasses need Cinder. They are no limit, so they have no note. */
function withoutClasses(cloud: CloudObservation, { storage }: StatedLimits): ProposedLimit[] {
  if (!isMissing(cloud, 'block-storage') || storage?.classes?.length === 0) return [];
  return [{ path: 'storage.classes', values: [], notes: [] }];
}

function withField(spec: ProposedSpec, path: string, values: readonly string[]): ProposedSpec {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...spec, [first]: values };
  return { ...spec, [first]: withField((spec[first] ?? {}) as ProposedSpec, rest.join('.'), values) };
}
