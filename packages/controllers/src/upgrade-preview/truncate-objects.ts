import { MAX_NAMED_OBJECTS, type UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';

const MAX_LENGTH = 600;

/** The objects that a finding lists, up to its limit, and the number of others. */
export function truncateObjects(objects: readonly string[]): Pick<UpgradeFinding, 'objects' | 'more'> {
  const shown = objects.slice(0, MAX_NAMED_OBJECTS).map((object) => object.slice(0, MAX_LENGTH));
  const more = objects.length - shown.length;
  return { objects: shown, ...(more > 0 && { more }) };
}
