import { type CloudConfig, CloudConfigError } from '@fairway/openstack/config/cloud-config';
import { GcfgError, parseGcfg } from '@fairway/openstack/config/gcfg';
import {
  type CloudBalancerClass,
  type CloudLoadBalancers,
  DEFAULT_LOAD_BALANCERS,
} from '@fairway/openstack/config/load-balancer-settings';
import { NodeAddressSettings } from '@fairway/openstack/config/node-address-settings';
import type { LoadBalancerSettings, MonitorSettings } from '../../load-balancers/settings.ts';
import { ConfValues } from './conf-values.ts';
import { type LoginContext, loginOf } from './login.ts';

/** The load balancer settings in a cloud.conf. */
export interface ConfiguredLoadBalancers
  extends Pick<LoadBalancerSettings, 'subnetID' | 'networkID' | 'memberSubnetID' | 'floatingNetworkID'> {
  readonly isEnabled: boolean;
  /** If undefined, the clouds.yaml entry applies. */
  readonly loadBalancers: CloudLoadBalancers | undefined;
}

/** The settings in a cloud.conf for cloud-provider-openstack that Fairway supports. */
export interface CloudConf {
  readonly cloud: CloudConfig;
  readonly loadBalancerSettings: ConfiguredLoadBalancers;
  /** The router that gets the routes to the nodes' pods. */
  readonly routerID: string | undefined;
  /** Timeout of a call to the cloud, in milliseconds. */
  readonly requestTimeoutMs: number | undefined;
  /** Settings without effect, one line each. */
  readonly warnings: readonly string[];
}

/** Load balancer settings that apply if there is no cloud.conf. */
export const DEFAULT_LOAD_BALANCER_SETTINGS: ConfiguredLoadBalancers = {
  isEnabled: true,
  subnetID: undefined,
  networkID: undefined,
  memberSubnetID: undefined,
  floatingNetworkID: undefined,
  loadBalancers: undefined,
};

/** Throws a CloudConfigError that lists all errors; settings without effect are warnings. */
export function readCloudConf(text: string, context: LoginContext): CloudConf {
  const values = new ConfValues(parseFile(text, context.source));
  const cloud = loginOf(values, context);
  const nodeAddresses = nodeAddressesOf(values);
  const conf = {
    cloud: { ...cloud, ...(nodeAddresses && { nodeAddresses }) },
    loadBalancerSettings: loadBalancersOf(values),
    routerID: values.text('route', 'router-id'),
    requestTimeoutMs: values.duration('metadata', 'request-timeout'),
    warnings: values.warnings,
  };
  if (values.problems.length > 0) throw new CloudConfigError(context.source, values.problems.join('; '));
  return conf;
}

function parseFile(text: string, source: string) {
  try {
    return parseGcfg(text);
  } catch (error) {
    throw error instanceof GcfgError ? new CloudConfigError(source, error.message) : error;
  }
}

/** Undefined if the file does not specify it; clouds.yaml may specify it. */
function nodeAddressesOf(values: ConfValues): NodeAddressSettings | undefined {
  const isIPv6Disabled = values.flag('networking', 'ipv6-support-disabled');
  const publicNetworks = values.list('networking', 'public-network-name');
  const internalNetworks = values.list('networking', 'internal-network-name');
  const order = values.text('networking', 'address-sort-order')?.split(',') ?? [];
  const ranges = order.map((range) => range.trim()).filter((range) => range !== '');
  if (isIPv6Disabled === undefined && publicNetworks.length + internalNetworks.length + ranges.length === 0) {
    return undefined;
  }
  const { data, error } = NodeAddressSettings.safeParse({
    public_networks: publicNetworks,
    internal_networks: internalNetworks,
    sort_order: ranges,
    ipv6: isIPv6Disabled !== true,
  });
  if (error) values.problems.push(`[networking]: ${error.issues.map(({ message }) => message).join(', ')}`);
  return data;
}

function loadBalancersOf(values: ConfValues): ConfiguredLoadBalancers {
  const text = (key: string) => values.text('loadbalancer', key);
  return {
    isEnabled: values.flag('loadbalancer', 'enabled') ?? true,
    subnetID: text('subnet-id'),
    networkID: text('network-id'),
    memberSubnetID: text('member-subnet-id') ?? text('subnet-id'),
    floatingNetworkID: text('floating-network-id'),
    loadBalancers: {
      ...DEFAULT_LOAD_BALANCERS,
      provider: text('lb-provider'),
      flavorID: text('flavor-id'),
      availabilityZone: text('availability-zone'),
      isSerial: values.flag('loadbalancer', 'provider-requires-serial-api-calls') ?? DEFAULT_LOAD_BALANCERS.isSerial,
      floatingSubnetID: text('floating-subnet-id'),
      floatingSubnet: text('floating-subnet'),
      floatingSubnetTags: text('floating-subnet-tags'),
      nodeSelector: text('node-selector'),
      hostnameSuffix: hostnameSuffixOf(values),
      algorithm: values.oneOf('loadbalancer', 'lb-method', ALGORITHMS),
      isInternal: values.flag('loadbalancer', 'internal-lb') ?? DEFAULT_LOAD_BALANCERS.isInternal,
      tlsContainerRef: text('default-tls-container-ref'),
      containerStore:
        values.oneOf('loadbalancer', 'container-store', CONTAINER_STORES) ?? DEFAULT_LOAD_BALANCERS.containerStore,
      monitor: monitorOf(values),
      maxShared:
        values.whole('loadbalancer', 'max-shared-lb', 1, MAX_SHARED_SERVICES) ?? DEFAULT_LOAD_BALANCERS.maxShared,
      classes: classesOf(values),
    },
  };
}

const ALGORITHMS = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'] as const;
const CONTAINER_STORES = ['barbican', 'external'] as const;
const MAX_SHARED_SERVICES = 64;
const { monitor: DEFAULT_MONITOR } = DEFAULT_LOAD_BALANCERS;

/** A DNS service that resolves names to the address in them. */
const HOSTNAME_SUFFIX = 'nip.io';

function hostnameSuffixOf(values: ConfValues): string | undefined {
  if (values.flag('loadbalancer', 'enable-ingress-hostname') !== true) return undefined;
  return values.text('loadbalancer', 'ingress-hostname-suffix') ?? HOSTNAME_SUFFIX;
}

const MAX_RETRIES = 10;

/** Octavia uses whole seconds. */
function monitorOf(values: ConfValues): MonitorSettings {
  const seconds = (key: string, defaultSeconds: number) => {
    const ms = values.duration('loadbalancer', key);
    return ms === undefined ? defaultSeconds : Math.max(Math.round(ms / 1000), 1);
  };
  const delay = seconds('monitor-delay', DEFAULT_MONITOR.delay);
  const timeout = seconds('monitor-timeout', DEFAULT_MONITOR.timeout);
  if (timeout > delay) {
    values.problems.push(`[loadbalancer] monitor-timeout: ${timeout} s is longer than monitor-delay, ${delay} s`);
  }
  const retryCount = (key: string) => values.whole('loadbalancer', key, 1, MAX_RETRIES);
  return {
    isEnabled: values.flag('loadbalancer', 'create-monitor'),
    delay,
    timeout,
    maxRetries: retryCount('monitor-max-retries') ?? DEFAULT_MONITOR.maxRetries,
    maxRetriesDown: retryCount('monitor-max-retries-down') ?? DEFAULT_MONITOR.maxRetriesDown,
  };
}

function classesOf(values: ConfValues): Map<string, CloudBalancerClass> {
  const classes = new Map<string, CloudBalancerClass>();
  for (const name of values.sections('loadbalancerclass')) {
    if (name === undefined) {
      values.problems.push('[loadbalancerclass] needs a name: [LoadBalancerClass "name"]');
      continue;
    }
    const text = (key: string) => values.text('loadbalancerclass', key, name);
    classes.set(name, {
      networkID: text('network-id'),
      subnetID: text('subnet-id'),
      memberSubnetID: text('member-subnet-id'),
      floatingNetworkID: text('floating-network-id'),
      floatingSubnetID: text('floating-subnet-id'),
      floatingSubnet: text('floating-subnet'),
      floatingSubnetTags: text('floating-subnet-tags'),
    });
  }
  return classes;
}
