import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Network } from '@fairway/openstack/types/network';
import type { ExternalNetwork } from './external-network.ts';
import { known, type ObservedValue } from './observed-value.ts';

/**
 * Where nodes can get IPv6 addresses that others route: subnet pools, external networks and shared networks. The
 * problem of a list counts only if the others contain none.
 */
export async function ipv6Sources(
  network: OpenStackClient['network'],
  networks: Promise<ObservedValue<readonly Network[]>>,
  externalNetworks: Promise<ObservedValue<readonly ExternalNetwork[]>>,
): Promise<ObservedValue<readonly string[]>> {
  const pools = known(async () => {
    const found = await Array.fromAsync(network.subnetPools.list({ ip_version: 6 }));
    return found.map(({ name }) => `subnet pool ${name}`);
  });
  const subnets = known(() => Array.fromAsync(network.subnets.list({ ip_version: 6 })));
  const all = [await pools, sharedIn(await networks, await subnets), routedIn(await externalNetworks)];
  const sources = all.flatMap((each) => ('value' in each ? each.value : []));
  const problem = all.find((each) => 'problem' in each);
  return sources.length === 0 && problem !== undefined ? problem : { value: sources };
}

function sharedIn(
  networks: ObservedValue<readonly Network[]>,
  subnets: ObservedValue<readonly { readonly network_id: string }[]>,
): ObservedValue<readonly string[]> {
  if ('problem' in networks) return networks;
  if ('problem' in subnets) return subnets;
  const ids = new Set(subnets.value.map(({ network_id }) => network_id));
  const shared = networks.value.filter(({ id, shared }) => shared && ids.has(id));
  return { value: shared.map(({ name }) => `network ${name}`) };
}

/** Clouds may hide the subnets of external networks. */
function routedIn(networks: ObservedValue<readonly ExternalNetwork[]>): ObservedValue<readonly string[]> {
  if ('problem' in networks) return networks;
  const routed = networks.value.filter(({ ipVersions }) => ipVersions?.includes(6));
  const hidden = networks.value.find(({ ipVersions }) => ipVersions === undefined);
  if (routed.length > 0 || hidden === undefined) return { value: routed.map(({ name }) => `network ${name}`) };
  return { problem: `the subnets of external network ${hidden.name} are not visible: an administrator can check it` };
}
