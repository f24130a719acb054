import { SCALE_KIND } from '@fairway/apiserver/server/scale';
import type { ServedResource } from '@fairway/apiserver/server/served-resource';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind of the object being written: the subresource's own kind if it has one. */
export function kindIn({ group, version, kind, definition }: ServedResource, subresource: string): Kind {
  if (subresource === 'scale' && definition.scale) return SCALE_KIND;
  return definition.subresources?.[subresource]?.kind ?? { group, version, kind };
}

export function resourceIn({ group, version, plural }: ServedResource) {
  return { group, version, resource: plural };
}
