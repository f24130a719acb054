import type { Plan, PlanSpec } from '@fairway/api/kinds/plan';
import { FEATURE_NAMES, IP_FAMILIES } from '@fairway/api/kinds/plan-limits';
import { SERVICE_TYPES } from '@fairway/api/kinds/plan-services';
import { ACCESS_MODES } from '@fairway/api/kinds/plan-storage';

type Values = readonly string[] | undefined;

/** The fields of a Plan's spec that depend on the cloud; an empty object is a Plan without any limit. */
export interface StatedLimits {
  readonly allowed?:
    | {
        readonly features?: Values;
        readonly flavors?: Values;
        readonly images?: Values;
        readonly networks?: Values;
        readonly regions?: Values;
      }
    | undefined;
  readonly network?: { readonly ipFamilies?: Values } | undefined;
  readonly services?:
    | { readonly types?: Values; readonly ipFamilies?: Values; readonly loadBalancerProviders?: Values }
    | undefined;
  readonly storage?: Pick<NonNullable<PlanSpec['storage']>, 'accessModes' | 'classes'> | undefined;
  readonly limitNotes?: readonly { readonly limit: string; readonly value: string }[] | undefined;
}

/** A Plan as stored. */
export interface StoredPlan extends Pick<Plan, 'metadata'> {
  readonly spec: PlanSpec & StatedLimits;
}

interface ValueLimit {
  /** All values, which are allowed by default. */
  readonly all: readonly string[];
  readonly read: (spec: StatedLimits) => Values;
  /** Whether the list can be empty. */
  readonly canBeEmpty: boolean;
}

/** Limits that list the allowed ones of some fixed values, by the path of the field. */
export const VALUE_LIMITS = {
  'allowed.features': { all: FEATURE_NAMES, read: ({ allowed }) => allowed?.features, canBeEmpty: true },
  'network.ipFamilies': { all: IP_FAMILIES, read: ({ network }) => network?.ipFamilies, canBeEmpty: false },
  'services.ipFamilies': { all: IP_FAMILIES, read: ({ services }) => services?.ipFamilies, canBeEmpty: false },
  'services.types': {
    all: SERVICE_TYPES,
    read: ({ services }) => services?.types,
    canBeEmpty: false,
  },
  'storage.accessModes': { all: ACCESS_MODES, read: ({ storage }) => storage?.accessModes, canBeEmpty: false },
} as const satisfies Readonly<Record<string, ValueLimit>>;

export type ValueLimitName = keyof typeof VALUE_LIMITS;

/** Limits that list the allowed ones of what the cloud has, by the path of the field. */
export const NAME_LIMITS = {
  'allowed.flavors': ({ allowed }) => allowed?.flavors,
  'allowed.images': ({ allowed }) => allowed?.images,
  'allowed.networks': ({ allowed }) => allowed?.networks,
  'allowed.regions': ({ allowed }) => allowed?.regions,
  'services.loadBalancerProviders': ({ services }) => services?.loadBalancerProviders,
} as const satisfies Readonly<Record<string, (spec: StatedLimits) => Values>>;

export type NameLimitName = keyof typeof NAME_LIMITS;

/** Whether a note of the plan explains why the value is excluded, or why all excluded values are. Pure. */
export function hasNoteOn({ limitNotes = [] }: StatedLimits, limit: string, value: string): boolean {
  return limitNotes.some((note) => note.limit === limit && (note.value === value || note.value === ''));
}
