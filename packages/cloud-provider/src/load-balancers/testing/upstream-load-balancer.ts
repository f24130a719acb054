import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import { FAIRWAY_CONVENTIONS } from '../../conventions.ts';
import { createCloudProvider } from '../../start.ts';
import type { LoadBalancedFairway } from './load-balanced-fairway.ts';

/** Upstream's name for the cluster. */
export const PEER = 'peer';

/** Options for a Fairway instance that takes over what upstream created. */
export const TAKEOVER_OPTIONS = {
  runnables: (parts: Parameters<typeof createCloudProvider>[0]) =>
    createCloudProvider(parts, { ...FAIRWAY_CONVENTIONS, upstreamClusterName: PEER }),
};

export interface UpstreamService {
  readonly name: string;
  readonly port: number;
  readonly nodePort: number;
}

export interface UpstreamLoadBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly floatingIp: FloatingIp;
  /** What upstream records on each of its Services. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Creates a load balancer as openstack-cloud-controller-manager does for the first Service; the others share it. */
export async function upstreamLoadBalancer(
  fairway: LoadBalancedFairway,
  services: readonly UpstreamService[],
  cluster = PEER,
): Promise<UpstreamLoadBalancer> {
  const { network, octavia, fairway: testFairway } = fairway;
  const nameOf = (service: UpstreamService | undefined) => `kube_service_${cluster}_default_${service?.name}`;
  const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  const servers = await Array.fromAsync(testFairway.process.project.client.compute.servers.list());
  const [port] = await Array.fromAsync(network.ports.list({ device_id: servers[0]?.id ?? '' }));
  const subnetID = port?.fixed_ips[0]?.subnet_id ?? '';
  const members = servers.map((server) => ({
    name: server.name,
    address: Object.values(server.addresses)[0]?.find(({ version }) => version === 4)?.addr ?? '',
    subnet_id: subnetID,
  }));
  const described = `Kubernetes external service default/${services[0]?.name} from cluster ${cluster}`;
  const { loadBalancer } = await octavia.loadBalancers.createTree({
    name: nameOf(services[0]),
    description: described,
    tags: services.map(nameOf),
    vip_subnet_id: subnetID,
    listeners: services.map((service) => ({
      name: `listener_0_${nameOf(service)}`,
      tags: [nameOf(service)],
      protocol: 'TCP',
      protocol_port: service.port,
      default_pool: {
        name: `pool_0_${nameOf(service)}`,
        protocol: 'TCP',
        lb_algorithm: 'ROUND_ROBIN',
        members: members.map((member) => ({ ...member, protocol_port: service.nodePort })),
        healthmonitor: {
          name: `monitor_0_${nameOf(service)}`,
          type: 'TCP',
          delay: 5,
          timeout: 3,
          max_retries: 1,
          max_retries_down: 3,
        },
      },
    })),
  });
  const floatingIp = await network.floatingIps.create({
    floating_network_id: external?.id ?? '',
    port_id: loadBalancer.vip_port_id ?? '',
    description: `Floating IP for ${described}`,
  });
  const annotations = {
    'loadbalancer.openstack.org/load-balancer-id': loadBalancer.id,
    'loadbalancer.openstack.org/load-balancer-address': floatingIp.floating_ip_address,
  };
  return { loadBalancer, floatingIp, annotations };
}
