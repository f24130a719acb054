import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import { HealthMonitor, LoadBalancer, type LoadBalancerCreate, Pool } from '@fairway/openstack/types/load-balancer';
import { expect, test } from 'vitest';
import { isAssumed, withAssumedMonitors } from './assumed-monitors.ts';

const MONITOR = { type: 'TCP', delay: 5, timeout: 3, max_retries: 3, tags: ['mine'] };

/** An answer with these pools, by name. */
function answer(...names: readonly string[]): LoadBalancerTree {
  const state = { provisioning_status: 'PENDING_CREATE' };
  const pools = names.map((name, index) =>
    Pool.parse({ ...state, id: `id-${index}`, name, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }),
  );
  const loadBalancer = LoadBalancer.parse({ ...state, id: 'lb', vip_address: '10.0.0.1' });
  return { loadBalancer, listeners: [], pools, healthMonitors: [], members: new Map() };
}

/** A create with these pools; `+` after its name: with a monitor. */
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

test('requested monitors are with their pools, and have no Octavia id', () => {
  const tree = withAssumedMonitors(answer('b', 'a'), body('a+', 'b'));

  const [monitor] = tree?.healthMonitors ?? [];
  expect(monitor).toMatchObject({ ...MONITOR, pools: [{ id: 'id-1' }] });
  expect(isAssumed(monitor?.id ?? '')).toBe(true);
  expect(tree?.pools.map(({ healthmonitor_id }) => healthmonitor_id)).toEqual([null, monitor?.id]);
});

test('those in the response are as it says', () => {
  const monitor = HealthMonitor.parse({ ...MONITOR, id: 'real', provisioning_status: 'PENDING_CREATE' });
  const told = { ...answer('a'), healthMonitors: [monitor] };

  expect(withAssumedMonitors(told, body('a+'))).toBe(told);
});

test.each([
  { reason: 'no pool has that name', tree: answer('other') },
  { reason: 'two pools have it', tree: answer('a', 'a') },
])('nothing is assumed if $reason', ({ tree }) => {
  expect(withAssumedMonitors(tree, body('a+'))).toBeUndefined();
});
