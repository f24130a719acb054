import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Delays,
  openSimulatedCloud,
  type SimulatedCloud,
} from '../../tests/upstream-cloud-provider/simulated-cloud.ts';
import { raiseQuotas } from './many-clusters.ts';

const POLL_INTERVAL_MS = 1_000;

/**
 * The lower bound: seconds until this many load balancers with floating IPs are active if they are created
 * concurrently. Only the cloud and Fairway's rate limit for a cloud slow them down.
 */
export async function loadBalancersByHand(pace: Delays, count: number): Promise<number> {
  const simulated = await openSimulatedCloud(pace);
  try {
    const { loadBalancing, network, session } = simulated.member;
    raiseQuotas(simulated, await session.projectId());
    const { subnetID, externalID } = await createNetwork(simulated);
    const begin = performance.now();
    const createLoadBalancer = async (index: number) => {
      const tree = await loadBalancing.loadBalancers.createTree({
        name: `by-hand-${index}`,
        vip_subnet_id: subnetID,
        listeners: [{ name: 'http', protocol: 'TCP', protocol_port: 80 }],
      });
      const port_id = tree.loadBalancer.vip_port_id ?? null;
      await network.floatingIps.create({ floating_network_id: externalID, port_id });
    };
    await Promise.all(Array.from({ length: count }, (_, index) => createLoadBalancer(index)));
    while (!(await areActive(simulated))) await sleep(POLL_INTERVAL_MS);
    return (performance.now() - begin) / 1000;
  } finally {
    await simulated.close();
  }
}

async function areActive({ member }: SimulatedCloud): Promise<boolean> {
  for await (const { provisioning_status: status } of member.loadBalancing.loadBalancers.list()) {
    if (status !== 'ACTIVE') return false;
  }
  return true;
}

async function createNetwork({ member: { network } }: SimulatedCloud) {
  const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  const externalID = external?.id ?? '';
  const { id } = await network.networks.create({ name: 'by-hand' });
  const subnet = await network.subnets.create({ name: 'by-hand', network_id: id, ip_version: 4, cidr: '10.9.0.0/20' });
  const router = await network.routers.create({ name: 'by-hand', external_gateway_info: { network_id: externalID } });
  await network.routers.addInterface(router.id, { subnet_id: subnet.id });
  return { subnetID: subnet.id, externalID };
}
