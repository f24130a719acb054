import { matchesItem } from '@fairway/api/domain/plan-allowance';
import type { NamedItem } from '../cloud-choices.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import type { ObservedValue } from '../observed-value.ts';
import { flavorProblem, imageProblem } from './cloud-offers.ts';
import { listed } from './listed.ts';
import type { Promised } from './promised.ts';
import type { StatedLimits } from './stated-limits.ts';

interface NamedKind {
  readonly field: 'flavors' | 'images' | 'networks' | 'regions';
  readonly singular: string;
  readonly found: ObservedValue<readonly NamedItem[]>;
  /** Why nodes can't use the items with these IDs. */
  readonly problems: ReadonlyMap<string, string>;
}

const ADVICE = 'correct the entry, or remove it from the list';
const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

/** Entries of `spec.allowed` that match nothing in the cloud, or nothing that nodes can use. Pure. */
export function namePromises(cloud: CloudObservation, { allowed }: StatedLimits): Promised[] {
  return namedKinds(cloud).flatMap((kind) => (allowed?.[kind.field] ?? []).flatMap((entry) => promised(kind, entry)));
}

function promised({ field, singular, found, problems }: NamedKind, entry: string): Promised[] {
  if ('problem' in found) return [];
  const what = `spec.allowed.${field}: ${entry}`;
  const matching = found.value.filter((item) => matchesItem(entry, item));
  const [first] = matching;
  if (first === undefined) {
    const names = listed(found.value.map(({ name }) => name));
    return [{ what, problem: `matches no ${singular}; the cloud has ${names}`, advice: ADVICE }];
  }
  if (matching.some(({ id }) => !problems.has(id))) return [];
  const problem = `matches no ${singular} for nodes: ${first.name} ${problems.get(first.id)}`;
  return [{ what, problem, advice: ADVICE }];
}

function namedKinds(cloud: CloudObservation): readonly NamedKind[] {
  const { choices, regions } = cloud;
  return [
    {
      field: 'flavors',
      singular: 'flavor',
      found: choices.flavors,
      problems: problemsOf(cloud.flavors, (flavor) => flavorProblem(cloud, flavor)),
    },
    {
      field: 'images',
      singular: 'image',
      found: choices.images,
      problems: problemsOf(cloud.images, imageProblem),
    },
    { field: 'networks', singular: 'network', found: choices.networks, problems: NO_PROBLEMS },
    {
      field: 'regions',
      singular: 'region',
      found:
        regions.length === 0
          ? { problem: 'the endpoints of the cloud belong to no region' }
          : { value: regions.map((name) => ({ id: name, name })) },
      problems: NO_PROBLEMS,
    },
  ];
}

function problemsOf<T extends { readonly id: string }>(
  found: ObservedValue<readonly T[]>,
  problemOf: (item: T) => string | undefined,
): ReadonlyMap<string, string> {
  const items = 'problem' in found ? [] : found.value;
  return new Map(
    items.flatMap((item): [string, string][] => {
      const problem = problemOf(item);
      return problem === undefined ? [] : [[item.id, problem]];
    }),
  );
}
