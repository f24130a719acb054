import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { FloatingIp } from '@fairway/openstack/types/network';
import type { BalancerScope } from './balancer-scope.ts';
import { type FloatingIpStep, planFloatingIp } from './floating-ip-plan.ts';
import { floatingIpMarks, seeFloatingIps } from './observation.ts';
import { ServiceRefused } from './service-refused.ts';
import type { Wishes } from './wishes.ts';

/** One to be detached, one to be deleted, one to be attached and described, and an end. */
const MAX_STEPS = 5;

/** Gives the port of a load balancer the floating IP that the Service wants. Returns its address; undefined: it is to have none. */
export async function ensureFloatingIp(
  scope: BalancerScope,
  { floatingIP: wish, keepsFloatingIP: keeps }: Pick<Wishes, 'floatingIP' | 'keepsFloatingIP'>,
  portID: string,
): Promise<string | undefined> {
  const marks = floatingIpMarks(scope);
  for (let step = 0; step < MAX_STEPS; step++) {
    const floatingIps = await seeFloatingIps(scope);
    const plan = planFloatingIp({ wish, keeps, marks, portID, floatingIps });
    if (plan.kind === 'done') return plan.address;
    if (plan.kind === 'refused') throw new ServiceRefused(plan.message);
    await perform(scope, plan.step, portID);
  }
  throw new Error(`the floating IP of Service ${scope.key} does not settle`);
}

/**
 * What becomes of the floating IPs of a Service without a load balancer: they go, or stay as somebody's own, with a description by which nobody finds them as
 * the Service's. Those that were only lent to it stay as they are.
 */
export async function releaseFloatingIps(
  scope: BalancerScope,
  kept: { readonly as: string } | undefined,
): Promise<void> {
  const marks = floatingIpMarks(scope);
  for (const floatingIp of await seeFloatingIps(scope)) {
    if (floatingIp.description === marks.own && kept === undefined) {
      await perform(scope, { kind: 'delete', floatingIp }, '');
    } else if (kept !== undefined && (floatingIp.description === marks.own || floatingIp.description === marks.kept)) {
      await perform(scope, { kind: 'describe', floatingIp, description: kept.as }, '');
    }
  }
}

async function perform(scope: BalancerScope, step: FloatingIpStep, portID: string): Promise<void> {
  const { cloud, owner, signal } = scope;
  const { own } = floatingIpMarks(scope);
  const { floatingIps } = cloud.client.network;
  const ledger = cloud.ledgers.floatingIps;
  const options = { signal };
  const write = (change: () => Promise<FloatingIp>) => cloud.make(ledger, own, change, owner.clusterUid);
  try {
    switch (step.kind) {
      case 'create': {
        const { networkID, subnetID, address } = step.wish;
        const body = {
          floating_network_id: networkID,
          description: step.description,
          port_id: portID,
          ...(subnetID !== undefined && { subnet_id: subnetID }),
          ...(address !== undefined && { floating_ip_address: address }),
        };
        await write(() => floatingIps.create(body, options));
        return;
      }
      case 'attach':
        await write(() => floatingIps.update(step.floatingIp.id, { port_id: portID }, options));
        return;
      case 'detach':
        await write(() => floatingIps.update(step.floatingIp.id, { port_id: null }, options));
        return;
      case 'describe':
        await write(() => floatingIps.update(step.floatingIp.id, { description: step.description }, options));
        return;
      case 'delete':
        await cloud.remove(ledger, step.floatingIp.id, () => floatingIps.delete(step.floatingIp.id, options));
        return;
    }
  } catch (error) {
    // The port has one that the list does not show yet, or the address is gone, or the project has had it since.
    const isForbidden = isOpenStackError(error, 'forbidden') && step.kind === 'create';
    if (isForbidden || isOpenStackError(error, 'conflict') || isOpenStackError(error, 'notFound'))
      cloud.cache.floatingIps.invalidate();
    throw error;
  }
}
