import { contains, parseCidr, parseIp } from '../network/cidr.ts';
import type { World } from '../world.ts';
import { notImplemented, providerError, unsupportedOption } from './problem.ts';
import type { HealthMonitor, Listener, LoadBalancer, Member, Pool, ProviderName } from './records.ts';
import { addressesOf, listenersUsing } from './tree.ts';
import { additionalVipsOf } from './versions.ts';

/**
 * A provider's validation. The API calls it within the request, after its own checks; accepted work is then done asynchronously.
 */
export interface Provider {
  /** Whether each load balancer has its own virtual machines. */
  readonly bootsMachines: boolean;
  checkListener(listener: Listener): void;
  checkPool(pool: Pool): void;
  checkMember(pool: Pool, member: Member, mode: 'one' | 'batch'): void;
  checkMonitor(monitor: HealthMonitor): void;
  checkPolicy(listener: Listener): void;
  checkFailover(): void;
}

export function providerOf(world: World, { provider }: LoadBalancer): Provider {
  return provider === 'amphora' ? amphora(world) : ovn(world);
}

export function describeProvider(name: ProviderName): string {
  return { amphora: 'The Octavia Amphora driver.', ovn: 'Octavia OVN driver.' }[name];
}

const AMPHORA_ALGORITHMS = ['ROUND_ROBIN', 'SOURCE_IP', 'LEAST_CONNECTIONS'];
const L7_PROTOCOLS = ['HTTP', 'TERMINATED_HTTPS'];

function amphora(world: World): Provider {
  const refuse = (reason: string): Error => unsupportedOption('amphora', reason);
  return {
    bootsMachines: true,
    checkListener: () => {},
    checkPool({ lb_algorithm }) {
      if (!AMPHORA_ALGORITHMS.includes(lb_algorithm))
        throw refuse(`Amphora provider does not support ${lb_algorithm} algorithm.`);
    },
    checkMember(pool, member) {
      if (pool.protocol !== 'UDP' && pool.protocol !== 'SCTP') return;
      for (const { load_balancer_id } of listenersUsing(world, pool)) {
        if (sharesFamily(world.tables.loadBalancers.get(load_balancer_id), member)) continue;
        throw refuse(
          `This provider doesn't support mixing IPv4 and IPv6 addresses for its VIP and members in ${pool.protocol} load balancers.`,
        );
      }
    },
    checkMonitor: () => {},
    checkPolicy({ protocol }) {
      if (!L7_PROTOCOLS.includes(protocol)) throw refuse(`${protocol} protocol listeners do not support L7 policies`);
    },
    checkFailover: () => {},
  };
}

function sharesFamily(loadBalancer: LoadBalancer | undefined, { address }: Member): boolean {
  if (loadBalancer === undefined) return true;
  return addressesOf(loadBalancer).some((vip) => parseIp(vip)?.version === parseIp(address)?.version);
}

const OVN_PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const OVN_MONITORS = ['UDP-CONNECT', 'TCP'];

function ovn(world: World): Provider {
  const refuse = (reason: string): Error => unsupportedOption('ovn', reason);
  function checkProtocol(protocol: string): void {
    if (!OVN_PROTOCOLS.includes(protocol)) throw refuse(`OVN provider does not support ${protocol} protocol`);
  }
  return {
    bootsMachines: false,
    checkListener({ protocol, allowed_cidrs }) {
      checkProtocol(protocol);
      if (allowed_cidrs !== null) throw refuse('OVN provider does not support allowed_cidrs option');
    },
    checkPool({ protocol, lb_algorithm }) {
      checkProtocol(protocol);
      if (lb_algorithm !== 'SOURCE_IP_PORT') throw refuse(`OVN provider does not support ${lb_algorithm} algorithm`);
    },
    checkMember(pool, member, mode) {
      const isSingle = mode === 'one';
      if (member.monitor_address !== null || member.monitor_port !== null) {
        throw refuse(
          isSingle
            ? 'OVN Load Balancer does not support different member monitor address or port.'
            : 'OVN provider does not support monitor options',
        );
      }
      const loadBalancer = world.tables.loadBalancers.get(pool.load_balancer_id);
      if (!canMixFamilies(world, loadBalancer) && !sharesFirstFamily(loadBalancer, member)) {
        throw refuse('OVN provider does not support mixing IPv4/IPv6 configuration within the same Load Balancer.');
      }
      if (member.subnet_id !== null || isInSubnet(world, loadBalancer?.vip_subnet_id, member.address)) return;
      const what = isSingle ? 'Member creation' : 'Member batch update';
      throw refuse(
        `Subnet is required, or Loadbalancer associated with Pool must have a subnet, for ${what} with OVN Provider Driver if it is not the same as LB VIP subnet`,
      );
    },
    checkMonitor({ type }) {
      if (OVN_MONITORS.includes(type)) return;
      throw refuse(
        `OVN provider does not support ${type} health monitor type. Supported types: ${OVN_MONITORS.join(', ')}`,
      );
    },
    checkPolicy() {
      throw notImplemented('ovn', 'This provider does not support creating l7policies.');
    },
    checkFailover() {
      throw refuse('OVN provider does not support loadbalancer failover');
    },
  };
}

function sharesFirstFamily(loadBalancer: LoadBalancer | undefined, { address }: Member): boolean {
  return parseIp(loadBalancer?.vip_address ?? '')?.version === parseIp(address)?.version;
}

/** Whether members of both IP versions are allowed because the load balancer has VIPs in both. */
function canMixFamilies(world: World, loadBalancer: LoadBalancer | undefined): boolean {
  if (loadBalancer === undefined || !additionalVipsOf(world).haveMixedMembers) return false;
  return new Set(addressesOf(loadBalancer).map((vip) => parseIp(vip)?.version)).size > 1;
}

function isInSubnet(world: World, subnetId: string | undefined, address: string): boolean {
  const cidr = parseCidr(world.tables.subnets.get(subnetId ?? '')?.cidr ?? '');
  const ip = parseIp(address);
  return cidr !== undefined && ip !== undefined && contains(cidr, ip);
}

/** Requires port security for amphorae, which need security groups on their VIP ports. */
export function requirePortSecurity(provider: ProviderName, hasPortSecurity: boolean): void {
  if (provider === 'amphora' && !hasPortSecurity)
    throw providerError(provider, 'Port security must be enabled on the VIP network.');
}
