import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { addressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { MemberNode } from './members.ts';

/**
 * The cluster's nodes as members. Only nodes that have joined according to their Machines are included, with the
 * addresses that the cloud reports for their servers. Addresses reported by a kubelet are ignored.
 */
export function memberNodes(
  { tenant, cluster, cloud }: LoadBalancerScope,
  machines: readonly Machine[],
): readonly MemberNode[] {
  const servers = cloud.listedServers();
  const rules = addressRules(cluster, cloud);
  return machines.flatMap((machine): MemberNode[] => {
    const node = tenant.nodes.get(machine.metadata.name ?? '');
    const all = serversOfMachine(servers, identityOf(machine));
    const server = all.find(({ id }) => id === machine.status?.serverID) ?? all[0];
    if (node === undefined || server === undefined) return [];
    const addresses = machineAddresses(server, rules);
    return [
      {
        name: machine.metadata.name ?? '',
        labels: node.metadata.labels ?? {},
        taints: node.spec?.taints?.map(({ key }) => key) ?? [],
        isDeleting: node.metadata.deletionTimestamp !== undefined,
        addresses: addresses.flatMap(({ type, address }) => (type === 'Hostname' ? [] : [address])),
      },
    ];
  });
}
