import { createHash } from 'node:crypto';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE, type AddonObject, type ObjectIdentity } from './addon.ts';

/**
 * The record of what Fairway has applied in the tenant's cluster:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/3659-kubectl-apply-prune
 */
export const APPLY_SET = { type: ConfigMaps, name: 'fairway-addons' } satisfies ObjectIdentity;

const ID_LABEL = 'applyset.kubernetes.io/id';
/** Label on each object of the set. */
export const PART_OF_LABEL = 'applyset.kubernetes.io/part-of';
const TOOLING_ANNOTATION = 'applyset.kubernetes.io/tooling';
const KINDS_ANNOTATION = 'applyset.kubernetes.io/contains-group-kinds';
/** Annotation on the record: the last takeover request that was fulfilled. */
const ADOPTED_ANNOTATION = 'fairway.dev/adopted-addons';

/** Computed as in the KEP, from the record's name, namespace, kind and group. */
export const APPLY_SET_ID = `applyset-${createHash('sha256')
  .update(`${APPLY_SET.name}.${ADDON_NAMESPACE}.${APPLY_SET.type.kind}.${APPLY_SET.type.group}`)
  .digest('base64url')}-v1`;

/** The record for a set with objects of these kinds. */
export function applySet(members: readonly ObjectIdentity[], adopted: string | undefined): AddonObject {
  const object: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: APPLY_SET.name,
      namespace: ADDON_NAMESPACE,
      labels: { [ID_LABEL]: APPLY_SET_ID },
      annotations: {
        [TOOLING_ANNOTATION]: 'fairway/v1',
        [KINDS_ANNOTATION]: groupKindsOf(members),
        ...(adopted !== undefined && { [ADOPTED_ANNOTATION]: adopted }),
      },
    },
  };
  return { ...APPLY_SET, object };
}

/** The request that the record marks as fulfilled. */
export function adoptedRequest(record: { readonly metadata: ConfigMap['metadata'] } | undefined): string | undefined {
  return record?.metadata.annotations?.[ADOPTED_ANNOTATION];
}

function groupKindsOf(members: readonly ObjectIdentity[]): string {
  const names = members.map(({ type }) => (type.group === '' ? type.kind : `${type.kind}.${type.group}`));
  return [...new Set(names)].sort().join(',');
}
