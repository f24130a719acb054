import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type NetworkRole, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { detachAll } from './network-deletion.ts';
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
    if (failed) {
      // The answer may have been lost with the work done: what is there now is looked at before the next try.
      const { networks, subnets, routers, securityGroups } = cloud.cache;
      for (const cache of [networks, subnets, routers, securityGroups]) cache.invalidate();
      for (const step of plan.steps) if (step.kind === 'attachRouter') cloud.attachments.forget(step.routerID);
      throw failed.reason;
    }
  }
}

async function perform(step: NetworkStep, cloud: ProjectCloud, cluster: Cluster, wish: NetworkWish): Promise<void> {
  const { client, ledgers } = cloud;
  const { network } = client;
  const name = `fairway-${cluster.metadata.name}`;
  const mark = (role: NetworkRole) => ownerDescription(identityOf(cluster), role);
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
      await attachRouter(step, cloud);
      return;
    }
    case 'createSecurityGroup': {
      const description = mark('node-security-group');
      await cloud.make(ledgers.securityGroups, description, () => network.securityGroups.create({ name, description }));
      return;
    }
    case 'createRules': {
      const made = await network.securityGroupRules.createMany(step.rules);
      const group = step.group;
      const rules = [...group.security_group_rules, ...made];
      ledgers.securityGroups.recordMade(
        mark('node-security-group'),
        { ...group, security_group_rules: rules },
        cloud.now(),
      );
      return;
    }
    case 'deleteRule': {
      await network.securityGroupRules.delete(step.id);
      const group = step.group;
      const rules = group.security_group_rules.filter(({ id }) => id !== step.id);
      ledgers.securityGroups.recordMade(
        mark('node-security-group'),
        { ...group, security_group_rules: rules },
        cloud.now(),
      );
      return;
    }
    case 'deleteExtra': {
      await deleteExtra(step, cloud);
      return;
    }
  }
}

/** A second attachment is a conflict, which the next look explains. */
async function attachRouter(step: Extract<NetworkStep, { kind: 'attachRouter' }>, cloud: ProjectCloud): Promise<void> {
  cloud.attachments.forget(step.routerID);
  await cloud.client.network.routers.addInterface(step.routerID, { subnet_id: step.subnetID });
}

async function deleteExtra(step: Extract<NetworkStep, { kind: 'deleteExtra' }>, cloud: ProjectCloud): Promise<void> {
  const { network } = cloud.client;
  switch (step.type) {
    case 'network':
      await detachAll(cloud, { network_id: step.id });
      return cloud.remove(cloud.ledgers.networks, step.id, () => network.networks.delete(step.id));
    case 'subnet':
      return cloud.remove(cloud.ledgers.subnets, step.id, () => network.subnets.delete(step.id));
    case 'router':
      await detachAll(cloud, { device_id: step.id });
      return cloud.remove(cloud.ledgers.routers, step.id, () => network.routers.delete(step.id));
    case 'securityGroup':
      return cloud.remove(cloud.ledgers.securityGroups, step.id, () => network.securityGroups.delete(step.id));
  }
}
