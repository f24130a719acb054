import type { IngressOwner } from '@fairway/tenancy/cloud/ownership';

/** Key of the queue: by UID, so that what is left of an Ingress is not mistaken for another one's of the same name. */
export function ingressKey({ clusterUid, ingressUid }: IngressOwner): string {
  return `${clusterUid}/${ingressUid}`;
}

export function ownerOfKey(key: string): IngressOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), ingressUid: key.slice(slash + 1) };
}
