import type { IngressOwner } from '@fairway/tenancy/cloud/ownership';

/**
 * Queue key. It contains the UID, so the remains of a deleted Ingress are not attributed to a new one with the same
 * name.
 */
export function ingressKey({ clusterUid, ingressUid }: IngressOwner): string {
  return `${clusterUid}/${ingressUid}`;
}

export function ownerOfKey(key: string): IngressOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), ingressUid: key.slice(slash + 1) };
}
