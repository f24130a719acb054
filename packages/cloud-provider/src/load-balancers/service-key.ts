import type { ServiceOwner } from '@fairway/tenancy/cloud/ownership';

/** Key of the queue: by UID, so that what is left of a Service is not mistaken for another one's of the same name. */
export function serviceKey({ clusterUid, serviceUid }: ServiceOwner): string {
  return `${clusterUid}/${serviceUid}`;
}

export function ownerOfKey(key: string): ServiceOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), serviceUid: key.slice(slash + 1) };
}
