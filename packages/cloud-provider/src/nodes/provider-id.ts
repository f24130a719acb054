/** The content of a Node's `spec.providerID`. */
export interface ServerReference {
  /** Empty if the providerID contains no region. */
  readonly region: string;
  readonly serverID: string;
}

/**
 * `openstack://REGION/SERVER`, as in cloud-provider-openstack with OS_CCM_REGIONAL; if there is no region,
 * `openstack:///SERVER`.
 */
export function providerIDOf({ region, serverID }: ServerReference): string {
  return `openstack://${region}/${serverID}`;
}

/**
 * The server that a providerID refers to, in the formats that cloud-provider-openstack supports; undefined for other
 * formats, such as another cloud's.
 */
export function parseProviderID(providerID: string): ServerReference | undefined {
  const text = providerID.includes('://') ? providerID : `openstack://${providerID}`;
  const [, region, serverID] = /^openstack:\/\/([^/]*)\/([^/]+)$/.exec(text) ?? [];
  return region === undefined || serverID === undefined ? undefined : { region, serverID };
}
