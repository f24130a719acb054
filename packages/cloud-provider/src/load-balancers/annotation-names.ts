import {
  ADDRESS_ANNOTATION,
  LOAD_BALANCER_ID_ANNOTATION,
  PROVIDER_ANNOTATION,
} from '@fairway/api/limits/service-limits';

const OPENSTACK = 'loadbalancer.openstack.org/';
const OVHCLOUD = 'loadbalancer.ovhcloud.com/';
/** Annotations of OVHcloud's first load balancers. */
const OVHCLOUD_BETA = 'service.beta.kubernetes.io/ovh-loadbalancer-';

/**
 * The supported annotations of Services. `loadbalancer.openstack.org` and `service.beta.kubernetes.io` are from cloud-provider-openstack
 * (docs/openstack-cloud-controller-manager/expose-applications-using-loadbalancer-type-service.md), `loadbalancer.ovhcloud.com` and `ovh-` from OVHcloud.
 */
export const ANNOTATION = {
  internal: 'service.beta.kubernetes.io/openstack-internal-load-balancer',
  sourceRanges: 'service.beta.kubernetes.io/load-balancer-source-ranges',
  loadBalancerID: LOAD_BALANCER_ID_ANNOTATION,
  address: ADDRESS_ANNOTATION,
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
  ovhAllowedSources: `${OVHCLOUD_BETA}allowed-sources`,
  ovhProxyProtocol: `${OVHCLOUD_BETA}proxy-protocol`,
  ovhAlgorithm: `${OVHCLOUD_BETA}balance`,
  provider: PROVIDER_ANNOTATION,
} as const;

/** The supported annotations. */
export const SERVICE_ANNOTATIONS: ReadonlySet<string> = new Set(Object.values(ANNOTATION));

/**
 * Annotations that only tune a load balancer: an invalid value has no effect and is reported in an Event. Ignoring any
 * other annotation would change who may connect, the networks of its addresses, what members receive, or whether an
 * address is kept, so an invalid value rejects the Service.
 */
export const TUNING_ANNOTATIONS: ReadonlySet<string> = new Set([
  ANNOTATION.algorithm,
  ANNOTATION.ovhAlgorithm,
  ANNOTATION.timeoutClientData,
  ANNOTATION.timeoutMemberConnect,
  ANNOTATION.timeoutMemberData,
  ANNOTATION.timeoutTcpInspect,
  ANNOTATION.monitor,
  ANNOTATION.monitorDelay,
  ANNOTATION.monitorTimeout,
  ANNOTATION.monitorMaxRetries,
  ANNOTATION.monitorMaxRetriesDown,
  ANNOTATION.hostname,
]);
