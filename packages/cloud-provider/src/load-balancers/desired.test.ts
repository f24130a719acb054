import { expect, test } from 'vitest';
import { createBody, desiredLoadBalancer } from './desired.ts';
import { specFromService } from './spec-from-service.ts';
import { aService, DNS, HTTP, SETTINGS } from './testing/services.ts';

const CONTEXT = {
  clusterName: 'demo',
  service: { namespace: 'shop', name: 'web' },
  members: [{ node: 'node-a', address: '10.0.0.1' }],
  tags: ['fairway', 'mark'],
  partTags: ['fairway'],
  flavorID: undefined,
};

const bodyOf = (...service: Parameters<typeof aService>) =>
  createBody(desiredLoadBalancer(specFromService(aService(...service), SETTINGS).balancerSpec, CONTEXT));

// Names and descriptions are those of cloud-provider-openstack; request bodies are those of its
// TestBuildListenerCreateOpt, BuildPoolCreateOpt and BuildBatchUpdateMemberOpts.
test('creates a whole load balancer in one call', () => {
  expect(bodyOf()).toEqual({
    name: 'kube_service_demo_shop_web',
    description: 'Kubernetes external service shop/web from cluster demo',
    tags: ['fairway', 'mark'],
    vip_subnet_id: 'nodes',
    listeners: [
      {
        name: 'listener_0_kube_service_demo_shop_web',
        tags: ['fairway'],
        protocol: 'TCP',
        protocol_port: 80,
        connection_limit: -1,
        timeout_client_data: 50_000,
        timeout_member_connect: 5_000,
        timeout_member_data: 50_000,
        timeout_tcp_inspect: 0,
        default_pool: {
          name: 'pool_0_kube_service_demo_shop_web',
          tags: ['fairway'],
          protocol: 'TCP',
          lb_algorithm: 'ROUND_ROBIN',
          session_persistence: null,
          members: [{ name: 'node-a', address: '10.0.0.1', protocol_port: 30080, subnet_id: 'nodes' }],
          healthmonitor: {
            name: 'monitor_0_kube_service_demo_shop_web',
            tags: ['fairway'],
            type: 'TCP',
            delay: 5,
            timeout: 3,
            max_retries: 1,
            max_retries_down: 3,
          },
        },
      },
    ],
  });
});

test('probes nodes where kube-proxy responds, with externalTrafficPolicy Local', () => {
  const { listeners } = bodyOf({ ports: [HTTP, DNS], externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 });

  expect(listeners).toHaveLength(2);
  for (const { default_pool } of listeners) {
    expect(default_pool?.members).toEqual([expect.objectContaining({ monitor_port: 31000 })]);
    expect(default_pool?.healthmonitor).toMatchObject({ type: 'HTTP', url_path: '/healthz', expected_codes: '200' });
  }
});

test('sends OVN no settings that it rejects', () => {
  const [listener] = bodyOf({}, { provider: 'ovn' }).listeners ?? [];

  expect(Object.keys(listener ?? {})).not.toEqual(expect.arrayContaining([expect.stringMatching(/^timeout|^allowed/)]));
  expect(listener?.default_pool).toMatchObject({ lb_algorithm: 'SOURCE_IP_PORT' });
});

const ID = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';

test.each([
  { is: 'the cluster’s subnet', annotations: {}, vip: { vip_subnet_id: 'nodes' } },
  { is: 'a subnet of its own', annotations: { subnetID: ID }, vip: { vip_subnet_id: ID } },
  { is: 'a port, which already has both', annotations: { portID: ID }, vip: { vip_port_id: ID } },
])('takes its address from $is', ({ annotations, vip }) => {
  const body = Object.entries(bodyOf({}, annotations)).filter(([name]) => name.startsWith('vip_'));

  expect(Object.fromEntries(body)).toEqual(vip);
});

test('adds no members to a port without a node port', () => {
  const { nodePort: _, ...port } = HTTP;
  const [listener] = bodyOf({ ports: [port], allocateLoadBalancerNodePorts: false }).listeners ?? [];

  expect(listener?.default_pool?.members).toEqual([]);
});

test('truncates names to Octavia’s limit', () => {
  const longNames = {
    ...CONTEXT,
    service: { namespace: 'n'.repeat(63), name: 's'.repeat(63) },
    clusterName: 'c'.repeat(200),
  };
  const body = createBody(desiredLoadBalancer(specFromService(aService(), SETTINGS).balancerSpec, longNames));

  expect([body.name.length, body.listeners?.[0]?.name?.length]).toEqual([255, 255]);
});
