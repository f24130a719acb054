import { SCALE_KIND } from '@fairway/apiserver/server/scale';
import type { ServedResource } from '@fairway/apiserver/server/served-resource';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind of what is written: that of a subresource where it has one of its own. */
export function kindIn({ group, version, kind, definition }: ServedResource, subresource: string): Kind {
  if (subresource === 'scale' && definition.scale) return SCALE_KIND;
  return definition.subresources?.[subresource]?.kind ?? { group, version, kind };
}

export function resourceIn({ group, version, plural }: ServedResource) {
  return { group, version, resource: plural };
}
