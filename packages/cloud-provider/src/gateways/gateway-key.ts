import type { GatewayOwner } from '@fairway/tenancy/cloud/ownership';

/**
 * Queue key. It contains the UID, so the remains of a deleted Gateway are not attributed to a new one with the same
 * name.
 */
export function gatewayKey({ clusterUid, gatewayUid }: GatewayOwner): string {
  return `${clusterUid}/${gatewayUid}`;
}

export function ownerOfKey(key: string): GatewayOwner {
  const slash = key.indexOf('/');
  return { clusterUid: key.slice(0, slash), gatewayUid: key.slice(slash + 1) };
}
