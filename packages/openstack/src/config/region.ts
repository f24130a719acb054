import { isMapping, mergeCloud, type RawCloud } from './raw-cloud.ts';
import { WrittenScalar } from './written-yaml.ts';

/** Why no region can be chosen, and the key that causes it. */
export interface RegionProblem {
  readonly key: 'regions' | 'region_name';
  readonly problem: string;
}

interface Region {
  readonly name: string;
  readonly values: RawCloud;
}

/**
 * The cloud in one region: the requested one, or else the first of `regions`, or else `region_name`. The region's
 * values take precedence over the cloud's. If the cloud lists regions, the requested one must be among them.
 */
export function cloudInRegion(
  cloud: RawCloud,
  requestedRegion: string | undefined,
): { readonly cloud: RawCloud } | RegionProblem {
  const known = knownRegions(cloud);
  if ('problem' in known) return known;
  const { regions: _, ...rest } = cloud;
  if (known.length === 0)
    return { cloud: requestedRegion === undefined ? rest : { ...rest, region_name: requestedRegion } };
  const chosen = requestedRegion === undefined ? known[0] : known.find(({ name }) => name === requestedRegion);
  if (chosen === undefined) {
    const names = known.map(({ name }) => name).join(', ');
    return { key: 'region_name', problem: `${requestedRegion} is not one of the cloud's regions: ${names}` };
  }
  return { cloud: { ...mergeCloud(rest, chosen.values), region_name: chosen.name } };
}

/** A list of names, or of mappings with name and values; a `region_name` may hold several, separated by commas. */
function knownRegions(cloud: RawCloud): readonly Region[] | RegionProblem {
  const { regions } = cloud;
  if (regions === undefined || regions === null) return namesIn(cloud.region_name).map(plain);
  const problem = {
    key: 'regions',
    problem: 'must be a list of names, or of mappings with a name and values',
  } as const;
  if (!Array.isArray(regions)) return problem;
  const known: Region[] = [];
  for (const region of regions) {
    const name = textOf(isMapping(region) ? region.name : region);
    const values = isMapping(region) ? (region.values ?? {}) : {};
    const isKnown = !isMapping(region) || Object.keys(region).every((key) => key === 'name' || key === 'values');
    if (name === undefined || !isMapping(values) || !isKnown) return problem;
    known.push({ name, values });
  }
  return known;
}

function namesIn(regionName: unknown): readonly string[] {
  const items = Array.isArray(regionName) ? regionName.map(textOf) : textOf(regionName)?.split(',');
  return (items ?? []).flatMap((item) => item?.trim() || []);
}

function plain(name: string): Region {
  return { name, values: {} };
}

function textOf(value: unknown): string | undefined {
  if (value instanceof WrittenScalar) return value.text;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
