import { sizeProblem } from '@fairway/api/domain/reserved-resources';
import { isNodeDistro } from '../cloud-capabilities.ts';
import type { CloudObservation, ObservedFlavor, ObservedImage } from '../cloud-observation.ts';
import { isMissing } from './cloud-lacks.ts';
import type { NameLimitName } from './stated-limits.ts';

/** What a plan can list, because clusters can use nothing else of the cloud. */
export interface Offer {
  readonly limit: NameLimitName;
  readonly values: readonly string[];
  /** For tenants, as in a note. */
  readonly reason: string;
}

/** Maximum lengths of the lists in a Plan. */
const MAX_NAMES = 100;
const MAX_PROVIDERS = 10;

/** Lists that exclude what nodes and load balancers can't use; none where they can use all. Pure. */
export function cloudOffers(cloud: CloudObservation): Offer[] {
  return [...flavorOffers(cloud), ...imageOffers(cloud), ...providerOffers(cloud)];
}

/** Why nodes can't use a flavor; undefined if they can. Pure. */
export function flavorProblem(cloud: CloudObservation, flavor: ObservedFlavor): string | undefined {
  if (flavor.diskGiB === 0 && isMissing(cloud, 'block-storage')) return 'has no disk, and the cloud has no volumes';
  return sizeProblem(flavor);
}

/** Why nodes can't boot an image; undefined if they can, or if the image does not state its distribution. Pure. */
export function imageProblem({ distro }: ObservedImage): string | undefined {
  return distro === undefined || isNodeDistro(distro) ? undefined : `contains ${distro}: nodes need ubuntu or debian`;
}

function flavorOffers(cloud: CloudObservation): Offer[] {
  if ('problem' in cloud.flavors) return [];
  const reason = 'other flavors have too little memory, or no disk';
  return offerOf('allowed.flavors', cloud.flavors.value, (flavor) => flavorProblem(cloud, flavor), reason);
}

function imageOffers({ images }: CloudObservation): Offer[] {
  if ('problem' in images) return [];
  return offerOf('allowed.images', images.value, imageProblem, 'nodes need an image of Ubuntu or Debian');
}

function offerOf<T extends { readonly name: string }>(
  limit: NameLimitName,
  items: readonly T[],
  problemOf: (item: T) => string | undefined,
  reason: string,
): Offer[] {
  const unusable = new Set(items.filter((item) => problemOf(item) !== undefined).map(({ name }) => name));
  const values = [...new Set(items.map(({ name }) => name))].filter((name) => !unusable.has(name)).sort();
  return unusable.size === 0 || values.length === 0 || values.length > MAX_NAMES ? [] : [{ limit, values, reason }];
}

function providerOffers({ loadBalancerProviders: providers }: CloudObservation): Offer[] {
  if ('problem' in providers || providers.value.length === 0 || providers.value.length > MAX_PROVIDERS) return [];
  const values = [...providers.value].sort();
  return [
    { limit: 'services.loadBalancerProviders', values, reason: 'the cloud has no other load balancer providers' },
  ];
}
