import { IN_CLUSTER_FINALIZER, SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import {
  type InClusterNodePool,
  type InClusterNodePoolStatus,
  inClusterNodePools,
} from '@fairway/api/kinds/in-cluster-node-pool';

/** Fairway's own API does not accept pools that exceed this limit; anything beyond it is dropped. */
const MAX_SPEC_CHARS = 64 * 1024;
const MAX_STATUS_CHARS = 32 * 1024;
const MAX_FINALIZERS = 20;
const MAX_TEXT_LENGTH = 256;
const MAX_MARK_LENGTH = 512;

/**
 * The retained part of an object into which a tenant may write anything. A spec that is too large is treated as missing
 * and rejected; a status in another format is treated as missing and rewritten.
 */
export function trimPool(pool: InClusterNodePool): InClusterNodePool {
  const { name, uid, resourceVersion, generation, deletionTimestamp, annotations, finalizers = [] } = pool.metadata;
  const shown = annotations?.[SYNCED_STATE_ANNOTATION];
  const kept = finalizers.slice(0, MAX_FINALIZERS).map((each) => each.slice(0, MAX_TEXT_LENGTH));
  if (finalizers.length > MAX_FINALIZERS && finalizers.includes(IN_CLUSTER_FINALIZER)) kept.push(IN_CLUSTER_FINALIZER);
  return {
    ...(pool.apiVersion !== undefined && { apiVersion: pool.apiVersion }),
    ...(pool.kind !== undefined && { kind: pool.kind }),
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(shown !== undefined && { annotations: { [SYNCED_STATE_ANNOTATION]: shown.slice(0, MAX_MARK_LENGTH) } }),
      ...(kept.length > 0 && { finalizers: kept }),
    },
    spec: (isWithin(pool.spec, MAX_SPEC_CHARS) ? pool.spec : {}) as InClusterNodePool['spec'],
    status: isStatus(pool.status) ? pool.status : {},
  };
}

/** Whether the status has the current format, regardless of the definition with which it was written. */
function isStatus(value: unknown): value is InClusterNodePoolStatus {
  return isWithin(value, MAX_STATUS_CHARS) && inClusterNodePools.status?.safeParse(value).success === true;
}

function isWithin(value: unknown, maxChars: number): boolean {
  return typeof value === 'object' && value !== null && JSON.stringify(value).length <= maxChars;
}
