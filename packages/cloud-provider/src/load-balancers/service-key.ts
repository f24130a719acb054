import type { ServiceOwner } from '@fairway/tenancy/cloud/ownership';

/**
 * Queue key. It contains the UID, so the remains of a deleted Service are not attributed to a new one with the same
 * name.
 */
export function serviceKey({ clusterUid, serviceUid }: ServiceOwner): string {
  return `${clusterUid}/${serviceUid}`;
}

export function ownerOfKey(key: string): ServiceOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), serviceUid: key.slice(slash + 1) };
}
