import type { Cluster } from '@fairway/api/kinds/cluster';
import { type NetworkRole, ownerDescription } from '../cloud/ownership.ts';
import type { ProjectCloud } from '../cloud/project-cloud.ts';
import { observeNetwork } from './network-observation.ts';
import { type NetworkPlan, type NetworkStep, type NetworkWish, planNetwork } from './network-plan.ts';

/** Rounds of plan and work in one pass: network, subnet, attachment and rules depend on each other four deep. */
const MAX_ROUNDS = 8;

/**
 * Brings the cluster's network as far as the cloud allows now.
 *
 * Rejects with the OpenStackError of a step that failed (others of its round were done) and with StillSettling while a create
 * without an answer may still come true.
 */
export async function ensureNetwork(cloud: ProjectCloud, cluster: Cluster, wish: NetworkWish): Promise<NetworkPlan> {
  for (let round = 1; ; round++) {
    const plan = planNetwork(wish, await observeNetwork(cloud, cluster, wish));
    if (plan.steps.length === 0 || round === MAX_ROUNDS) return plan;
    const results = await Promise.allSettled(plan.steps.map((step) => perform(step, cloud, cluster, wish)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

async function perform(step: NetworkStep, cloud: ProjectCloud, cluster: Cluster, wish: NetworkWish): Promise<void> {
  const { client, ledgers } = cloud;
  const { network } = client;
  const name = `fairway-${cluster.metadata.name}`;
  const mark = (role: NetworkRole) => ownerDescription(cluster.metadata.uid ?? '', role);
  switch (step.kind) {
    case 'createNetwork': {
      const description = mark('network');
      await cloud.make(ledgers.networks, description, () => network.networks.create({ name, description }));
      return;
    }
    case 'createSubnet': {
      const description = mark('subnet');
      await cloud.make(ledgers.subnets, description, () =>
        network.subnets.create({
          name,
          description,
          network_id: step.networkID,
          ip_version: 4,
          cidr: wish.nodesCIDR,
          ...(step.gatewayIp !== undefined && { gateway_ip: step.gatewayIp }),
          ...(wish.dnsNameservers.length > 0 && { dns_nameservers: [...wish.dnsNameservers] }),
        }),
      );
      return;
    }
    case 'createRouter': {
      const description = mark('router');
      await cloud.make(ledgers.routers, description, () =>
        network.routers.create({ name, description, external_gateway_info: { network_id: step.externalNetworkID } }),
      );
      return;
    }
    case 'attachRouter': {
      await cloud.make(ledgers.routerPorts, step.routerID, async () => {
        const attached = await network.routers.addInterface(step.routerID, { subnet_id: step.subnetID });
        return attachedPort(attached.port_id, step);
      });
      return;
    }
    case 'createSecurityGroup': {
      const description = mark('node-security-group');
      await cloud.make(ledgers.securityGroups, description, () => network.securityGroups.create({ name, description }));
      return;
    }
    case 'createRules': {
      await network.securityGroupRules.createMany(step.rules);
      await refreshSecurityGroup(cloud, cluster, step.rules[0]?.security_group_id);
      return;
    }
    case 'deleteRule': {
      await network.securityGroupRules.delete(step.id);
      await refreshSecurityGroup(cloud, cluster, cluster.status?.network?.securityGroupID);
      return;
    }
    case 'deleteExtra': {
      await deleteExtra(step, cloud);
      return;
    }
  }
}

function attachedPort(id: string, step: { readonly routerID: string; readonly subnetID: string }) {
  return {
    id,
    name: '',
    project_id: '',
    tags: [],
    network_id: '',
    mac_address: '',
    status: 'ACTIVE',
    admin_state_up: true,
    device_owner: 'network:router_interface',
    device_id: step.routerID,
    fixed_ips: [{ subnet_id: step.subnetID, ip_address: '' }],
    security_groups: [],
    allowed_address_pairs: [],
  };
}

/** A group's rules are part of it, so after a change the group is read again in place of the older list. */
async function refreshSecurityGroup(cloud: ProjectCloud, cluster: Cluster, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const owner = ownerDescription(cluster.metadata.uid ?? '', 'node-security-group');
  await cloud.make(cloud.ledgers.securityGroups, owner, () => cloud.client.network.securityGroups.get(id));
}

async function deleteExtra(step: Extract<NetworkStep, { kind: 'deleteExtra' }>, cloud: ProjectCloud): Promise<void> {
  const { network } = cloud.client;
  switch (step.type) {
    case 'network':
      return cloud.remove(cloud.ledgers.networks, step.id, () => network.networks.delete(step.id));
    case 'subnet':
      return cloud.remove(cloud.ledgers.subnets, step.id, () => network.subnets.delete(step.id));
    case 'router':
      return cloud.remove(cloud.ledgers.routers, step.id, () => network.routers.delete(step.id));
    case 'securityGroup':
      return cloud.remove(cloud.ledgers.securityGroups, step.id, () => network.securityGroups.delete(step.id));
  }
}
