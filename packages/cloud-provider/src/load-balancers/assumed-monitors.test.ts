import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import { HealthMonitor, LoadBalancer, type LoadBalancerCreate, Pool } from '@fairway/openstack/types/load-balancer';
import { expect, test } from 'vitest';
import { isAssumed, withAssumedMonitors } from './assumed-monitors.ts';

const MONITOR = { type: 'TCP', delay: 5, timeout: 3, max_retries: 3, tags: ['mine'] };

/** A create response with pools of these names. */
function treeOf(...names: readonly string[]): LoadBalancerTree {
  const state = { provisioning_status: 'PENDING_CREATE' };
  const pools = names.map((name, index) =>
    Pool.parse({ ...state, id: `id-${index}`, name, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }),
  );
  const loadBalancer = LoadBalancer.parse({ ...state, id: 'lb', vip_address: '10.0.0.1' });
  return { loadBalancer, listeners: [], pools, healthMonitors: [], members: new Map() };
}

/** A create request with these pools; a `+` after the name adds a monitor. */
function body(...names: readonly string[]): LoadBalancerCreate {
  const listeners = names.map((name, index) => ({
    protocol: 'TCP',
    protocol_port: index,
    default_pool: {
      name: name.replace('+', ''),
      protocol: 'TCP',
      lb_algorithm: 'ROUND_ROBIN',
      ...(name.endsWith('+') && { healthmonitor: MONITOR }),
    },
  }));
  return { name: 'lb', listeners };
}

test('adds requested monitors to their pools, without IDs from Octavia', () => {
  const tree = withAssumedMonitors(treeOf('b', 'a'), body('a+', 'b'));

  const [monitor] = tree?.healthMonitors ?? [];
  expect(monitor).toMatchObject({ ...MONITOR, pools: [{ id: 'id-1' }] });
  expect(isAssumed(monitor?.id ?? '')).toBe(true);
  expect(tree?.pools.map(({ healthmonitor_id }) => healthmonitor_id)).toEqual([null, monitor?.id]);
});

test('keeps the monitors of the response', () => {
  const monitor = HealthMonitor.parse({ ...MONITOR, id: 'real', provisioning_status: 'PENDING_CREATE' });
  const treeWithMonitor = { ...treeOf('a'), healthMonitors: [monitor] };

  expect(withAssumedMonitors(treeWithMonitor, body('a+'))).toBe(treeWithMonitor);
});

test.each([
  { reason: 'no pool has that name', tree: treeOf('other') },
  { reason: 'two pools have that name', tree: treeOf('a', 'a') },
])('assumes nothing if $reason', ({ tree }) => {
  expect(withAssumedMonitors(tree, body('a+'))).toBeUndefined();
});
