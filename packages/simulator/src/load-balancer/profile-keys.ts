/** Keys of a flavor profile's data for the amphora provider. */
export const FLAVOR_KEYS = {
  loadbalancer_topology: 'The load balancer topology: SINGLE or ACTIVE_STANDBY.',
  compute_flavor: 'The ID of the compute flavor.',
  amp_image_tag: 'The tag of the amphora image.',
} as const;

/** Keys of an availability zone profile's data for the amphora provider. */
export const ZONE_KEYS = {
  compute_zone: 'The availability zone of the compute service.',
  management_network: 'The ID of the management network.',
  valid_vip_networks: 'The IDs of the networks that VIPs may be on.',
} as const;
