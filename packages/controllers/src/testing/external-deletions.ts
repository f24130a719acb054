import { type LastingCause, networkOf } from './lasting-causes.ts';

/** Cluster resources that are deleted out of band; Fairway recreates them. */
export const EXTERNAL_DELETIONS: readonly Omit<LastingCause, 'end' | 'kind' | 'reason'>[] = [
  {
    cause: 'a deleted security group',
    from: 'an empty cluster',
    begin: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      await network.securityGroups.delete(status.securityGroupID ?? '');
    },
  },
  {
    cause: 'a deleted router',
    from: 'an empty cluster',
    begin: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      await network.routers.removeInterface(status.routerID ?? '', { subnet_id: status.subnetID ?? '' });
      await network.routers.delete(status.routerID ?? '');
    },
  },
  {
    cause: 'a deleted subnet',
    from: 'an empty cluster',
    begin: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      await network.routers.removeInterface(status.routerID ?? '', { subnet_id: status.subnetID ?? '' });
      await network.subnets.delete(status.subnetID ?? '');
    },
  },
  {
    cause: "a server's deleted port",
    from: 'a cluster',
    begin: async (fairway) => {
      const { network, status } = await networkOf(fairway);
      for await (const port of network.ports.list({ network_id: status.networkID ?? '' })) {
        if (port.device_owner.startsWith('compute:')) await network.ports.delete(port.id);
      }
    },
  },
];
