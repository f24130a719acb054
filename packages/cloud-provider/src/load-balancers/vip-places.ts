import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ANNOTATION } from './annotation-names.ts';
import type { BalancerScope } from './balancer-scope.ts';
import { familyOf } from './families.ts';
import { type KnownSubnets, knownSubnet } from './known-subnets.ts';
import { ServiceRefused } from './service-refused.ts';
import type { Family, Wishes } from './wishes.ts';

/** Where the addresses of a new load balancer are. */
export type VipPlace = Wishes['vip'] & {
  /** Which of the port's subnets is that of the first address, if it has several. */
  readonly portSubnetID?: string | undefined;
  readonly additional?: { readonly subnetID: string; readonly address?: string | undefined } | undefined;
};

/** Subnets in which addresses of a load balancer can be, those to be taken first before others. */
export interface VipSubnets {
  readonly subnets: readonly { readonly id: string; readonly family: Family; readonly address?: string }[];
  /** They are all of it, for people. */
  readonly where: string;
  /** What puts another one there. */
  readonly remedy: (family: Family) => string;
}

/** The port's, or those of the network, the named one first. */
export async function vipSubnets(
  scope: BalancerScope,
  { portID, subnetID, networkID }: Wishes['vip'],
  known: KnownSubnets,
): Promise<VipSubnets> {
  if (portID !== undefined) return subnetsOfPort(scope, portID);
  const named = subnetID === undefined ? undefined : await known.get(scope, subnetID);
  if (subnetID !== undefined && named === undefined) {
    throw new ServiceRefused(
      `the cloud shows this project no subnet ${subnetID}; name one with ${ANNOTATION.subnetID}`,
    );
  }
  const network = named?.networkID ?? networkID ?? '';
  const { subnets } = scope.cloud.client.network;
  const listed = await Array.fromAsync(subnets.list({ network_id: network }, { signal: scope.signal }));
  const rank = ({ id, created_at: madeAt = '' }: (typeof listed)[number]) =>
    `${id === subnetID ? 0 : 1} ${madeAt} ${id}`;
  return {
    subnets: listed.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(knownSubnet),
    where: `network ${network}`,
    remedy: (family) =>
      `add one (\`openstack subnet create --ip-version ${family} --network ${network}\`), or name one of another network with ${ANNOTATION.subnetID}`,
  };
}

async function subnetsOfPort({ cloud, signal }: BalancerScope, portID: string): Promise<VipSubnets> {
  try {
    const { fixed_ips } = await cloud.client.network.ports.get(portID, { signal });
    return {
      subnets: fixed_ips.map(({ subnet_id: id, ip_address: address }) => ({ id, address, family: familyOf(address) })),
      where: `port ${portID}`,
      remedy: () =>
        `give the port an address there (\`openstack port set --fixed-ip\`), or leave out ${ANNOTATION.portID}`,
    };
  } catch (error) {
    if (!isOpenStackError(error, 'notFound')) throw error;
    throw new ServiceRefused(`annotation ${ANNOTATION.portID}: the cloud shows this project no port ${portID}`);
  }
}

/** What has addresses of these families there, the first one of the first; undefined if it can't be. Pure. */
export function placeIn(
  { subnets }: VipSubnets,
  vip: Wishes['vip'],
  [first, second]: readonly Family[],
): VipPlace | undefined {
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
