import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ANNOTATION } from './annotation-names.ts';
import { familyOf } from './families.ts';
import { type KnownSubnets, knownSubnet } from './known-subnets.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { Family, LoadBalancerSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';

/** Placement of a new load balancer's addresses. */
export type VipPlacement = LoadBalancerSpec['vip'] & {
  /** The subnet of the first address, if the port has several subnets. */
  readonly portSubnetID?: string | undefined;
  readonly additional?: { readonly subnetID: string; readonly address?: string | undefined } | undefined;
};

/** Candidate subnets for addresses of a load balancer, in order of preference. */
export interface VipSubnets {
  readonly subnets: readonly { readonly id: string; readonly family: Family; readonly address?: string }[];
  /** The source of the subnets, for messages. */
  readonly where: string;
  /** How to add another subnet, for messages. */
  readonly adviceFor: (family: Family) => string;
}

/** The subnets of the port, or those of the network with the specified subnet first. */
export async function vipSubnets(
  scope: LoadBalancerScope,
  { portID, subnetID, networkID }: LoadBalancerSpec['vip'],
  known: KnownSubnets,
): Promise<VipSubnets> {
  if (portID !== undefined) return subnetsOfPort(scope, portID);
  const named = subnetID === undefined ? undefined : await known.get(scope, subnetID);
  if (subnetID !== undefined && named === undefined) {
    throw new ServiceRefused(
      `subnet ${subnetID} is not visible to this project; specify one with ${ANNOTATION.subnetID}`,
    );
  }
  const network = named?.networkID ?? networkID ?? '';
  const { subnets } = scope.cloud.client.network;
  const listed = await Array.fromAsync(subnets.list({ network_id: network }, { signal: scope.signal }));
  const rank = ({ id, created_at: createdAt = '' }: (typeof listed)[number]) =>
    `${id === subnetID ? 0 : 1} ${createdAt} ${id}`;
  return {
    subnets: listed.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(knownSubnet),
    where: `network ${network}`,
    adviceFor: (family) =>
      `add one (\`openstack subnet create --ip-version ${family} --network ${network}\`), or specify one in another network with ${ANNOTATION.subnetID}`,
  };
}

async function subnetsOfPort({ cloud, signal }: LoadBalancerScope, portID: string): Promise<VipSubnets> {
  try {
    const { fixed_ips } = await cloud.client.network.ports.get(portID, { signal });
    return {
      subnets: fixed_ips.map(({ subnet_id: id, ip_address: address }) => ({ id, address, family: familyOf(address) })),
      where: `port ${portID}`,
      adviceFor: () =>
        `give the port an address there (\`openstack port set --fixed-ip\`), or remove ${ANNOTATION.portID}`,
    };
  } catch (error) {
    if (!isOpenStackError(error, 'notFound')) throw error;
    throw new ServiceRefused(`annotation ${ANNOTATION.portID}: port ${portID} is not visible to this project`);
  }
}

/** The placement for these families, with the first as primary; undefined if impossible. Pure. */
export function placementIn(
  { subnets }: VipSubnets,
  vip: LoadBalancerSpec['vip'],
  [first, second]: readonly Family[],
): VipPlacement | undefined {
  const primary = subnets.find(({ family }) => family === first);
  const additional = second && subnets.find(({ family }) => family === second);
  if (primary === undefined || (second !== undefined && additional === undefined)) return undefined;
  const addressOf = (family: Family | undefined) =>
    vip.address !== undefined && familyOf(vip.address) === family ? vip.address : undefined;
  return {
    ...vip,
    subnetID: primary.id,
    address: addressOf(first),
    portSubnetID: vip.portID === undefined ? undefined : primary.id,
    additional: additional && { subnetID: additional.id, address: additional.address ?? addressOf(second) },
  };
}
