import { WrittenScalar } from './written-yaml.ts';

/** A cloud as written: keys of clouds.yaml, with dashes replaced by underscores. */
export type RawCloud = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is RawCloud {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenScalar);
}

/** `update` takes precedence, except that the two `auth` mappings are merged; like `_auth_update` in openstacksdk. */
export function mergeCloud(base: RawCloud, update: RawCloud): RawCloud {
  const auth = isMapping(base.auth) && isMapping(update.auth) ? { ...base.auth, ...update.auth } : undefined;
  return { ...base, ...update, ...(auth !== undefined && { auth }) };
}

/** Merges secure.yaml into clouds.yaml at every depth, like `merge_clouds` in openstacksdk. */
export function mergeDeep(base: RawCloud, update: RawCloud): RawCloud {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(update)) {
    const old = merged[key];
    merged[key] = isMapping(old) && isMapping(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

/** Reads dashes in keys as underscores, including the keys in `auth` and in the values of `regions`. */
export function normalizeKeys(raw: RawCloud): RawCloud {
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [key.replaceAll('-', '_'), normalizeValue(key, value)]),
  );
}

function normalizeValue(key: string, value: unknown): unknown {
  if (key === 'auth' && isMapping(value)) return normalizeKeys(value);
  if (key !== 'regions' || !Array.isArray(value)) return value;
  return value.map((region) =>
    isMapping(region) && isMapping(region.values) ? { ...region, values: normalizeKeys(region.values) } : region,
  );
}

/** Variables that select a cloud or change behavior; they alone don't define a cloud. */
const SELECTOR_VARIABLES: ReadonlySet<string> = new Set([
  'OS_CLOUD',
  'OS_REGION_NAME',
  'OS_CLIENT_CONFIG_FILE',
  'OS_CLIENT_SECURE_FILE',
  'OS_CLOUD_NAME',
]);

/** The cloud defined by `OS_*` variables: `OS_PROJECT_NAME` is `project_name`. Undefined if they define none. */
export function cloudOfEnvironment(env: Readonly<Record<string, string | undefined>>): RawCloud | undefined {
  const variables = Object.entries(env).filter(
    ([name, value]) => value !== undefined && name.startsWith('OS_') && !/^OS_(TEST|STD|LOG)/.test(name),
  );
  if (variables.every(([name]) => SELECTOR_VARIABLES.has(name))) return undefined;
  return Object.fromEntries(variables.map(([name, value]) => [name.slice('OS_'.length).toLowerCase(), value]));
}
