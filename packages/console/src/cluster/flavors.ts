import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { PlanSpec } from '@fairway/api/kinds/plan';

export type Flavor = NonNullable<CloudProfileStatus['flavors']>[number];

const MIN_VCPUS = 2;
const MIN_MEMORY_MIB = 4096;
const MIN_DISK_GIB = 20;

/** Whether a plan's list includes the flavor, by name, ID, or a pattern with `*`. The API decides. */
export function isAllowed({ name, id }: Flavor, allowed: PlanSpec['allowed']): boolean {
  const patterns = allowed?.flavors;
  return patterns === undefined || patterns.some((pattern) => fits(pattern, name) || fits(pattern, id));
}

/** The smallest flavor on which a node has room for pods; the first one if none is large enough. */
export function defaultFlavor(flavors: readonly Flavor[], allowed: PlanSpec['allowed']): Flavor | undefined {
  const choice = flavors.filter((flavor) => isAllowed(flavor, allowed));
  const large = choice.filter(
    ({ vcpus, memoryMiB, diskGiB }) => vcpus >= MIN_VCPUS && memoryMiB >= MIN_MEMORY_MIB && diskGiB >= MIN_DISK_GIB,
  );
  return large[0] ?? choice[0];
}

export function flavorOf(flavors: readonly Flavor[], nameOrId: string): Flavor | undefined {
  return flavors.find(({ id }) => id === nameOrId) ?? flavors.find(({ name }) => name === nameOrId);
}

/** Finds the parts between the stars of a pattern in order. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  if (others.length === 0) return pattern === text;
  const last = others.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
