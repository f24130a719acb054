import { isNewRequest, requestValueOf } from '@fairway/api/domain/request';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { KubeObject } from '@fairway/kube/object/meta';
import { hasChangedIn } from '../has-changed-in.ts';
import { canNodesStart } from './network-condition.ts';

export function isPauseChanged(old: Cluster, cluster: Cluster): boolean {
  return isPaused(old) !== isPaused(cluster);
}

/** Whether a user has changed an object, or requested an action on it. */
export function isRequestChanged(old: KubeObject, object: KubeObject): boolean {
  if (old.metadata.generation !== object.metadata.generation) return true;
  return isNewRequest(requestValueOf(object, RETRY_ANNOTATION), requestValueOf(old, RETRY_ANNOTATION));
}

/** The parts of a Cluster that its pools and machines depend on; not its counts, which are derived from them. */
export const isClusterRelevant = hasChangedIn(viewOf);

function viewOf({ metadata, status, spec }: Cluster): unknown {
  return [
    metadata.deletionTimestamp,
    metadata.annotations?.[RETRY_ANNOTATION],
    isPaused({ metadata }),
    spec.image,
    spec.plan,
    spec.registryMirrors,
    spec.proxy,
    spec.network.gateway.mode,
    status?.version,
    status?.credentials?.generation,
    status?.hibernation?.wanted,
    status?.reset?.phase,
    status?.reset?.emptiedTime,
    status?.network,
    canNodesStart(status),
    status?.endpoint,
    status?.conditions
      ?.filter(({ type }) => type === 'NetworkReady' || type === 'ControlPlaneReady')
      .map((condition) => condition.status),
  ];
}
