import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { poolShare, type ShareFacts } from './pool-share.ts';

const [shippedPlan] = SHIPPED_PLANS;
if (shippedPlan === undefined) throw new Error('no plan is shipped');
const plan = { ...shippedPlan, spec: { ...shippedPlan.spec, maxNodes: 10 } };

function pool(name: string, replicas: number, second: number, floatingIPs = false) {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  return aNodePool({ replicas, floatingIPs: { enabled: floatingIPs } }, { name, uid: name, creationTimestamp });
}

function machinesOf(owner: string, count: number): Machine[] {
  return Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `${owner}-${index}`,
      ownerReferences: [{ apiVersion: 'fairway.dev/v1alpha1', kind: 'NodePool', name: owner, uid: owner }],
    },
    spec: {
      clusterName: 'demo',
      nodePoolName: owner,
      flavor: 'b3-8',
      image: 'i',
      version: '1.34.2',
      floatingIP: false,
    },
  }));
}

const old = pool('old', 6, 1);
const youngPool = pool('young', 6, 2);

function share(of: ReturnType<typeof pool>, facts: Partial<ShareFacts> = {}) {
  const { replicas, floatingIPs, problem } = poolShare(of, {
    cluster: aCluster(),
    plan,
    pools: [old, youngPool],
    machines: [],
    ...facts,
  });
  return { replicas, floatingIPs, reason: problem?.reason, message: problem?.message };
}

describe('the nodes of a plan', () => {
  test.each<[string, ReturnType<typeof pool>, Partial<ShareFacts>, number, string | undefined]>([
    ['the oldest pool gets all the nodes it requests', old, {}, 6, undefined],
    ['a younger pool gets what is left', youngPool, {}, 4, 'PlanLimitExceeded'],
    ['a single pool can get all of them', pool('old', 10, 1), { pools: [pool('old', 10, 1)] }, 10, undefined],
    [
      'no pool gets more than there are',
      pool('big', 999, 1),
      { pools: [pool('big', 999, 1)] },
      10,
      'PlanLimitExceeded',
    ],
    ['no existing node is taken away', youngPool, { machines: machinesOf('young', 6) }, 6, undefined],
    [
      'no node is created beyond those that younger pools already have',
      old,
      { machines: [...machinesOf('old', 1), ...machinesOf('young', 6)] },
      4,
      'PlanLimitExceeded',
    ],
    ['nothing is limited without the plan', youngPool, { plan: undefined }, 6, undefined],
  ])('%s', (_, of, facts, replicas, reason) => {
    expect(share(of, facts)).toMatchObject({ replicas, reason });
  });

  test('the message contains the pool’s share, and what to do', () => {
    expect(share(youngPool).message).toBe(
      `spec.replicas: 6: plan "${plan.metadata.name}" allows 10 nodes per cluster, and the pools of the cluster request more: this pool gets 4, because older pools take precedence; scale down pools, or create a cluster with another plan`,
    );
  });
});

test('floating IPs are not assigned without a router', () => {
  const withFloatingIPs = pool('old', 2, 1, true);
  const withRouter = { pools: [withFloatingIPs] };
  const withoutRouter = { ...withRouter, cluster: aCluster({ network: { gateway: { mode: 'None' } } }) };

  expect(share(withFloatingIPs, withRouter)).toMatchObject({ floatingIPs: true, reason: undefined });
  expect(share(withFloatingIPs, withoutRouter)).toMatchObject({ floatingIPs: false, reason: 'GatewayMissing' });
});

describe('the address limits', () => {
  const widePlan = { ...shippedPlan, spec: { ...shippedPlan.spec, maxNodes: 999 } };
  const bigPool = pool('big', 300, 1);

  test.each([
    {
      reason: "the pods' range has one /24 for each of 256 nodes",
      cluster: aCluster(),
      replicas: 256,
      says: "the pods' CIDR 10.2.0.0/16, of which each node gets a /24, has room for 256 nodes",
    },
    {
      reason: "the nodes' range is smaller",
      cluster: aCluster({ network: { nodesCIDR: '192.168.0.0/28' } }),
      replicas: 10,
      says: "the nodes' CIDR 192.168.0.0/28 has room for 10 nodes",
    },
  ])('$reason', ({ cluster, replicas, says }) => {
    const granted = share(bigPool, { cluster, plan: widePlan, pools: [bigPool] });

    expect(granted).toMatchObject({ replicas, reason: 'AddressesExhausted' });
    expect(granted.message).toContain(says);
  });
});

describe('floating IPs of running nodes', () => {
  const withFloatingIPs = pool('old', 2, 1, true);
  const withRouter = (network: object, mode: 'Router' | 'None') => ({
    pools: [withFloatingIPs],
    cluster: { ...aCluster({ network: { gateway: { mode } } }), status: { network } },
  });

  test('stay as long as the router does, and the unmet request is reported', () => {
    const facts = withRouter({ routerID: 'rtr', externalNetworkID: 'ext' }, 'None');

    expect(share(withFloatingIPs, facts)).toMatchObject({ floatingIPs: true, reason: 'GatewayMissing' });
  });

  test('require a router with an external network', () => {
    const limited = share(withFloatingIPs, withRouter({ routerID: 'rtr' }, 'Router'));

    expect(limited.reason).toBe('GatewayMissing');
    expect(limited.message).toContain('openstack router set --external-gateway NETWORK rtr');
  });
});
