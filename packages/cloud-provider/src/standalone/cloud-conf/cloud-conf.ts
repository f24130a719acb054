import { type CloudConfig, CloudConfigError } from '@fairway/openstack/config/cloud-config';
import { GcfgError, parseGcfg } from '@fairway/openstack/config/gcfg';
import { NodeAddressSettings } from '@fairway/openstack/config/node-address-settings';
import {
  DEFAULT_MONITOR,
  type LoadBalancerClass,
  type LoadBalancerSettings,
  type MonitorSettings,
} from '../../load-balancers/settings.ts';
import { ConfValues } from './conf-values.ts';
import { type LoginContext, loginOf } from './login.ts';

/** What a cloud.conf says of load balancers. */
export interface ConfiguredBalancing
  extends Pick<
    LoadBalancerSettings,
    'provider' | 'subnetID' | 'memberSubnetID' | 'floatingNetworkID' | 'monitor' | 'classes'
  > {
  readonly isEnabled: boolean;
}

/** A cloud.conf of cloud-provider-openstack, as far as it is acted upon. */
export interface CloudConf {
  readonly cloud: CloudConfig;
  readonly balancing: ConfiguredBalancing;
  /** The router that leads to the nodes' pods. */
  readonly routerID: string | undefined;
  /** How long a call to the cloud may take; milliseconds. */
  readonly requestTimeoutMs: number | undefined;
  /** What has no effect, a line each. */
  readonly warnings: readonly string[];
}

/** Without a cloud.conf. */
export const DEFAULT_BALANCING: ConfiguredBalancing = {
  isEnabled: true,
  provider: undefined,
  subnetID: undefined,
  memberSubnetID: undefined,
  floatingNetworkID: undefined,
  monitor: DEFAULT_MONITOR,
  classes: new Map(),
};

/** Throws a CloudConfigError that names all that is wrong; what is only without effect is a warning. */
export function readCloudConf(text: string, context: LoginContext): CloudConf {
  const values = new ConfValues(parsed(text, context.source));
  const cloud = loginOf(values, context);
  const nodeAddresses = nodeAddressesOf(values);
  const conf = {
    cloud: { ...cloud, ...(nodeAddresses && { nodeAddresses }) },
    balancing: balancingOf(values),
    routerID: values.text('route', 'router-id'),
    requestTimeoutMs: values.duration('metadata', 'request-timeout'),
    warnings: values.warnings,
  };
  if (values.problems.length > 0) throw new CloudConfigError(context.source, values.problems.join('; '));
  return conf;
}

function parsed(text: string, source: string) {
  try {
    return parseGcfg(text);
  } catch (error) {
    throw error instanceof GcfgError ? new CloudConfigError(source, error.message) : error;
  }
}

/** Undefined where the file says nothing of it: clouds.yaml may. */
function nodeAddressesOf(values: ConfValues): NodeAddressSettings | undefined {
  const isWithoutIpv6 = values.flag('networking', 'ipv6-support-disabled');
  const publicNetworks = values.list('networking', 'public-network-name');
  const internalNetworks = values.list('networking', 'internal-network-name');
  const order = values.text('networking', 'address-sort-order')?.split(',') ?? [];
  const ranges = order.map((range) => range.trim()).filter((range) => range !== '');
  if (isWithoutIpv6 === undefined && publicNetworks.length + internalNetworks.length + ranges.length === 0) {
    return undefined;
  }
  const { data, error } = NodeAddressSettings.safeParse({
    public_networks: publicNetworks,
    internal_networks: internalNetworks,
    sort_order: ranges,
    ipv6: isWithoutIpv6 !== true,
  });
  if (error) values.problems.push(`[networking]: ${error.issues.map(({ message }) => message).join(', ')}`);
  return data;
}

function balancingOf(values: ConfValues): ConfiguredBalancing {
  const text = (key: string) => values.text('loadbalancer', key);
  return {
    isEnabled: values.flag('loadbalancer', 'enabled') ?? true,
    provider: text('lb-provider'),
    subnetID: text('subnet-id'),
    memberSubnetID: text('member-subnet-id') ?? text('subnet-id'),
    floatingNetworkID: text('floating-network-id'),
    monitor: monitorOf(values),
    classes: classesOf(values),
  };
}

const MAX_RETRIES = 10;

/** Octavia counts in whole seconds. */
function monitorOf(values: ConfValues): MonitorSettings {
  const seconds = (key: string, otherwise: number) => {
    const ms = values.duration('loadbalancer', key);
    return ms === undefined ? otherwise : Math.max(Math.round(ms / 1000), 1);
  };
  const delay = seconds('monitor-delay', DEFAULT_MONITOR.delay);
  const timeout = seconds('monitor-timeout', DEFAULT_MONITOR.timeout);
  if (timeout > delay) {
    values.problems.push(`[loadbalancer] monitor-timeout: ${timeout} s is longer than monitor-delay, ${delay} s`);
  }
  const tries = (key: string) => values.whole('loadbalancer', key, 1, MAX_RETRIES);
  return {
    delay,
    timeout,
    maxRetries: tries('monitor-max-retries') ?? DEFAULT_MONITOR.maxRetries,
    maxRetriesDown: tries('monitor-max-retries-down') ?? DEFAULT_MONITOR.maxRetriesDown,
  };
}

const CLASS_FIELDS = {
  networkID: 'network-id',
  subnetID: 'subnet-id',
  memberSubnetID: 'member-subnet-id',
  floatingNetworkID: 'floating-network-id',
  floatingSubnetID: 'floating-subnet-id',
} as const satisfies Partial<Record<keyof LoadBalancerClass, string>>;

function classesOf(values: ConfValues): ReadonlyMap<string, LoadBalancerClass> {
  const classes = new Map<string, LoadBalancerClass>();
  for (const name of values.sections('loadbalancerclass')) {
    if (name === undefined) {
      values.problems.push('[loadbalancerclass] needs a name: [LoadBalancerClass "name"]');
      continue;
    }
    const fields = Object.entries(CLASS_FIELDS).flatMap(([field, key]) => {
      const value = values.text('loadbalancerclass', key, name);
      return value === undefined ? [] : [[field, value] as const];
    });
    classes.set(name, Object.fromEntries(fields));
  }
  return classes;
}
