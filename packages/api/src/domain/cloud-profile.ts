import { type CatalogueQuotas, type CloudCatalogue, QUOTA_NAMES } from '../admission/cloud-catalogue.ts';
import type { CloudProfileStatus } from '../kinds/cloud-profile.ts';

/** Maximum per list, which keeps the whole object far below an API server's limits. */
export const MAX_ENTRIES = 200;
const MAX_SUBNETS = 20;

type Content = Omit<CloudProfileStatus, 'conditions' | 'observedGeneration' | 'quotasTime'>;

/**
 * The CloudProfile for a catalogue. Lists that the cloud did not return stay unchanged. Pure; equal catalogues yield
 * equal content.
 */
export function cloudProfileContent(catalogue: CloudCatalogue, previous: Content | undefined): Content {
  const truncated: { list: string; total: number }[] = [];
  const truncateList = <T>(list: keyof Content, items: readonly T[]): T[] => {
    if (items.length > MAX_ENTRIES) truncated.push({ list, total: items.length });
    return items.slice(0, MAX_ENTRIES);
  };
  /** The new list, or else the old one with its truncation record. */
  const fresh = <K extends keyof Content>(list: K, value: Content[K] | undefined): Partial<Content> => {
    if (value !== undefined) return { [list]: value };
    const previousTruncation = previous?.truncated?.find((each) => each.list === list);
    if (previousTruncation !== undefined) truncated.push(previousTruncation);
    return previous?.[list] === undefined ? {} : { [list]: previous[list] };
  };
  const { flavors, images, zones, networks, subnets, volumeTypes, quotas } = catalogue;
  const subnetsOf = (networkID: string) =>
    (subnets ?? [])
      .filter((subnet) => subnet.networkID === networkID && subnet.ipVersion === 4)
      .sort(byName)
      .slice(0, MAX_SUBNETS)
      .map(({ name, id, cidr }) => ({ name, id, cidr }));
  const content = {
    ...fresh('region', catalogue.regions?.[0]),
    ...fresh(
      'flavors',
      flavors &&
        truncateList(
          'flavors',
          flavors
            .map(({ name, id, vcpus, memoryMiB, diskGiB }) => ({ name, id, vcpus, memoryMiB, diskGiB }))
            .sort((a, b) => a.vcpus - b.vcpus || a.memoryMiB - b.memoryMiB || byName(a, b)),
        ),
    ),
    ...fresh(
      'images',
      images &&
        truncateList(
          'images',
          images
            .filter(({ isActive }) => isActive !== false)
            .map(({ name, id, os, minDiskGiB, minMemoryMiB }) => ({
              name,
              id,
              ...(os !== undefined && { os }),
              minDiskGiB,
              minMemoryMiB,
            }))
            .sort(byName),
        ),
    ),
    ...fresh('zones', zones && truncateList('zones', [...zones].sort())),
    // Without subnets, a network would look empty.
    ...fresh(
      'networks',
      networks &&
        subnets &&
        truncateList('networks', networks.filter(({ isExternal }) => !isExternal).sort(byName)).map(({ name, id }) => ({
          name,
          id,
          subnets: subnetsOf(id),
        })),
    ),
    ...fresh(
      'externalNetworks',
      networks &&
        truncateList('externalNetworks', networks.filter(({ isExternal }) => isExternal).sort(byName)).map(
          ({ name, id }) => ({
            name,
            id,
          }),
        ),
    ),
    ...fresh(
      'volumeTypes',
      volumeTypes && truncateList('volumeTypes', volumeTypes.map(({ name, id }) => ({ name, id })).sort(byName)),
    ),
    ...fresh('quotas', quotas && quotaList(quotas, previous?.quotas)),
  };
  return { ...content, ...(truncated.length > 0 && { truncated }) };
}

/** The quotas in a CloudProfile. Those of a service that did not respond stay unchanged. */
export function quotaList(quotas: CatalogueQuotas, previous: Content['quotas'] = []): NonNullable<Content['quotas']> {
  return QUOTA_NAMES.flatMap((name) => {
    const quota = quotas[name];
    if (quota === undefined) return previous.filter((before) => before.name === name);
    return [{ name, limit: Math.max(quota.limit, -1), used: Math.max(quota.used, 0) }];
  });
}

function byName(a: { readonly name: string; readonly id: string }, b: typeof a): number {
  return compare(a.name, b.name) || compare(a.id, b.id);
}

/** Compares code units, so that the order is the same on every machine, regardless of its locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
