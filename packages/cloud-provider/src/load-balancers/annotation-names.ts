const OPENSTACK = 'loadbalancer.openstack.org/';
const OVHCLOUD = 'loadbalancer.ovhcloud.com/';
const FAIRWAY = 'loadbalancer.fairway.dev/';
/** Of the family `service.beta.kubernetes.io`, which other clouds have too. */
const OPENSTACK_BETA = 'service.beta.kubernetes.io/openstack-';

/**
 * The annotations of Services that are acted upon. Those of `loadbalancer.openstack.org` and `service.beta.kubernetes.io` are cloud-provider-openstack's
 * (docs/openstack-cloud-controller-manager/expose-applications-using-loadbalancer-type-service.md), those of `loadbalancer.ovhcloud.com` OVHcloud's.
 */
export const ANNOTATION = {
  internal: 'service.beta.kubernetes.io/openstack-internal-load-balancer',
  sourceRanges: 'service.beta.kubernetes.io/load-balancer-source-ranges',
  loadBalancerID: `${OPENSTACK}load-balancer-id`,
  address: `${OPENSTACK}load-balancer-address`,
  class: `${OPENSTACK}class`,
  networkID: `${OPENSTACK}network-id`,
  subnetID: `${OPENSTACK}subnet-id`,
  memberSubnetID: `${OPENSTACK}member-subnet-id`,
  portID: `${OPENSTACK}port-id`,
  floatingNetworkID: `${OPENSTACK}floating-network-id`,
  floatingSubnetID: `${OPENSTACK}floating-subnet-id`,
  floatingSubnet: `${OPENSTACK}floating-subnet`,
  floatingSubnetTags: `${OPENSTACK}floating-subnet-tags`,
  keepFloatingIP: `${OPENSTACK}keep-floatingip`,
  proxyProtocol: `${OPENSTACK}proxy-protocol`,
  xForwardedFor: `${OPENSTACK}x-forwarded-for`,
  tlsContainerRef: `${OPENSTACK}default-tls-container-ref`,
  algorithm: `${OPENSTACK}lb-method`,
  connectionLimit: `${OPENSTACK}connection-limit`,
  timeoutClientData: `${OPENSTACK}timeout-client-data`,
  timeoutMemberConnect: `${OPENSTACK}timeout-member-connect`,
  timeoutMemberData: `${OPENSTACK}timeout-member-data`,
  timeoutTcpInspect: `${OPENSTACK}timeout-tcp-inspect`,
  monitor: `${OPENSTACK}enable-health-monitor`,
  monitorDelay: `${OPENSTACK}health-monitor-delay`,
  monitorTimeout: `${OPENSTACK}health-monitor-timeout`,
  monitorMaxRetries: `${OPENSTACK}health-monitor-max-retries`,
  monitorMaxRetriesDown: `${OPENSTACK}health-monitor-max-retries-down`,
  flavorID: `${OPENSTACK}flavor-id`,
  availabilityZone: `${OPENSTACK}availability-zone`,
  nodeSelector: `${OPENSTACK}node-selector`,
  hostname: `${OPENSTACK}hostname`,
  ovhClass: `${OVHCLOUD}class`,
  ovhFlavor: `${OVHCLOUD}flavor`,
  provider: `${FAIRWAY}provider`,
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(ANNOTATION));

/** Whether it looks like one of these and is none. */
export function isUnknownAnnotation(name: string): boolean {
  return [OPENSTACK, OPENSTACK_BETA, OVHCLOUD, FAIRWAY].some((family) => name.startsWith(family)) && !KNOWN.has(name);
}
