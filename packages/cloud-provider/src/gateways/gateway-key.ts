import type { GatewayOwner } from '@fairway/tenancy/cloud/ownership';

/** Key of the queue: by UID, so that what is left of a Gateway is not mistaken for another one's of the same name. */
export function gatewayKey({ clusterUid, gatewayUid }: GatewayOwner): string {
  return `${clusterUid}/${gatewayUid}`;
}

export function ownerOfKey(key: string): GatewayOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), gatewayUid: key.slice(slash + 1) };
}
