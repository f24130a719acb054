import { actionRequiredBy } from '@fairway/api/conditions';
import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { NEVER_ROTATED } from '@fairway/control-plane/pki/rotation-record';
import { type ControlPlaneState, ONE_COPY } from '@fairway/control-plane/runtime';
import { findCondition } from '@fairway/kube/controller/conditions';
import { describe, expect, test } from 'vitest';
import { type ClusterFacts, clusterStatus } from './status.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const controlPlane: ControlPlaneState = {
  phase: 'Running',
  endpoint: { host: '192.0.2.7', port: 6443 },
  version: '1.34.2',
  ready: true,
  reason: 'AsExpected',
  message: '',
  etcdUsageBytes: 1_000,
};
const network = {
  steps: [],
  resolved: { networkID: 'net', subnetID: 'sub', securityGroupID: 'grp', routerID: 'rtr' },
  ready: true,
  nodesCanStart: true,
};

/** Everything works, and there are no pools. */
const healthyFacts: ClusterFacts = {
  plan: SHIPPED_PLANS[0]?.spec,
  releases: SHIPPED_RELEASES,
  choice: { version: '1.34.2', waiting: undefined },
  blocker: undefined,
  network,
  networkProblem: undefined,
  projectID: 'project',
  credential: undefined,
  cloud: { problem: undefined },
  controlPlane,
  controlPlaneProblem: undefined,
  caCertificate: 'PEM',
  caFacts: undefined,
  etcdQuotaBytes: 2_000,
  isConnected: true,
  pools: [],
  machines: 0,
  machinesOf: () => [],
  hibernation: undefined,
  isHibernated: false,
  resetting: { reset: undefined, problem: undefined },
  cloudProfile: undefined,
  spread: ONE_COPY,
  nodeUpgradeSeconds: () => undefined,
  nowMs: NOW_MS,
};
/** Nothing exists yet. */
const fresh: ClusterFacts = {
  ...healthyFacts,
  network: { ...network, resolved: {}, ready: false, nodesCanStart: false },
  controlPlane: undefined,
  isConnected: false,
};

function statusOf(facts: Partial<ClusterFacts>, status?: ClusterStatus): ClusterStatus {
  // A spec without fields for FieldsApplied.
  const spec = { cni: { type: 'none' }, kubeProxy: { mode: 'none' } } as const;
  const cluster: Cluster = { ...aCluster(spec, { generation: 3 }), ...(status && { status }) };
  return clusterStatus(cluster, { ...healthyFacts, ...facts });
}

function pool(name: string, replicas: number, ready: number, reason?: string): NodePool {
  const isReady = reason === undefined;
  const conditions = [
    {
      type: 'Ready',
      status: isReady ? ('True' as const) : ('False' as const),
      reason: reason ?? 'AsExpected',
      message: isReady ? '' : `${name} waits`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ];
  const status = {
    observedGeneration: 1,
    replicas,
    readyReplicas: ready,
    updatedReplicas: replicas,
    conditions,
  };
  return { ...aNodePool({ replicas }, { name, generation: 1 }), status };
}

function withPhase(phase: 'Scaling' | 'Degraded' | 'Failed', of: NodePool): NodePool {
  return { ...of, status: { ...of.status, phase } };
}

const problem = (reason: string) => ({ reason, message: 'because' }) as ClusterFacts['blocker'];
const before = (phase: ClusterStatus['phase']): ClusterStatus => ({ phase: phase ?? 'Pending' });

describe('the phase of a cluster', () => {
  test.each<{ phase: string; was?: ClusterStatus['phase']; facts: Partial<ClusterFacts>; reason: string }>([
    { facts: fresh, phase: 'Provisioning', reason: 'nothing exists yet' },
    { facts: {}, phase: 'Ready', reason: 'all conditions are met' },
    { facts: { blocker: problem('PlanNotFound') }, phase: 'Failed', reason: 'the operator must act first' },
    { facts: { networkProblem: problem('QuotaExceeded') }, phase: 'Failed', reason: 'the user must act first' },
    {
      facts: { networkProblem: problem('CloudUnavailable') },
      phase: 'Provisioning',
      reason: 'an unavailable cloud recovers',
    },
    { facts: { isConnected: false }, phase: 'Provisioning', reason: 'the control plane is unreachable' },
    {
      facts: { pools: [pool('a', 2, 1, 'Scaling')] },
      phase: 'Provisioning',
      reason: 'not all of the first nodes are ready',
    },
    {
      facts: { ...fresh, blocker: problem('ProgramsMissing') },
      phase: 'Pending',
      reason: 'it starts automatically later',
    },
    { was: 'Failed', facts: fresh, phase: 'Provisioning', reason: 'the cause of the failure is resolved' },
    { was: 'Failed', facts: {}, phase: 'Ready', reason: 'the cause of the failure is resolved' },
    {
      was: 'Ready',
      facts: { pools: [pool('a', 2, 1, 'Scaling')] },
      phase: 'Updating',
      reason: 'Fairway is working on it',
    },
    { was: 'Ready', facts: { pools: [pool('a', 2, 1, 'QuotaExceeded')] }, phase: 'Degraded', reason: 'user' },
    { was: 'Ready', facts: { networkProblem: problem('CloudUnavailable') }, phase: 'Degraded', reason: 'network' },
    { was: 'Updating', facts: { isConnected: false }, phase: 'Degraded', reason: 'the API server is unavailable' },
    {
      was: 'Degraded',
      facts: { blocker: problem('PlanNotFound') },
      phase: 'Degraded',
      reason: 'its nodes keep running',
    },
    { was: 'Degraded', facts: {}, phase: 'Ready', reason: 'healed' },
    {
      was: 'Ready',
      facts: { pools: [withPhase('Scaling', pool('a', 2, 1, 'QuotaExceeded'))] },
      phase: 'Updating',
      reason: 'a requested node cannot be created, but nothing that worked is broken',
    },
    {
      was: 'Ready',
      facts: {
        pools: [
          withPhase('Scaling', pool('a', 2, 1, 'Scaling')),
          withPhase('Degraded', pool('b', 2, 1, 'NodeNotReady')),
        ],
      },
      phase: 'Degraded',
      reason: 'one pool grows, and a node of another fails',
    },
    {
      was: 'Ready',
      facts: { pools: [withPhase('Failed', pool('a', 1, 0, 'FlavorNotFound'))] },
      phase: 'Updating',
      reason: 'a new pool with a mistake does not affect others',
    },
    {
      was: 'Ready',
      facts: {
        controlPlane: {
          ...controlPlane,
          ready: false,
          phase: 'Updating',
          reason: 'Updating',
          message: 'kube-apiserver is restarting.',
        },
      },
      phase: 'Updating',
      reason: 'a planned patch',
    },
    {
      was: 'Ready',
      facts: {
        controlPlane: {
          ...controlPlane,
          ready: false,
          phase: 'Failed',
          reason: 'ControlPlaneFailed',
          message: 'etcd is not running',
        },
      },
      phase: 'Degraded',
      reason: 'the control plane failed',
    },
    {
      facts: { pools: [withPhase('Degraded', pool('a', 1, 0, 'NodeStartupTimeout'))] },
      phase: 'Degraded',
      reason: 'a deadline has passed, even for the first node',
    },
  ])('$was becomes $phase: $reason', ({ was, facts, phase }) => {
    expect(statusOf(facts, was && before(was)).phase).toBe(phase);
  });
});

describe('a cloud that is unavailable', () => {
  const away = { reason: 'CloudUnavailable', message: 'network: Neutron cannot be reached' } as const;
  const lost = { network: undefined, networkProblem: away, cloud: { problem: away }, projectID: undefined };
  const created = statusOf({});
  const of = (status: ClusterStatus, type: string) => findCondition(status.conditions, type);

  test('leaves a healthy cluster Ready, and is reported in CloudReachable with the time it began', () => {
    const status = statusOf({ ...lost, nowMs: NOW_MS + 60_000 }, created);

    expect(status.phase).toBe('Ready');
    expect(of(status, 'Ready')?.status).toBe('True');
    expect(of(status, 'NetworkReady')).toEqual(of(created, 'NetworkReady'));
    expect(of(status, 'CloudReachable')).toMatchObject({
      status: 'False',
      reason: 'CloudUnavailable',
      message: 'network: Neutron cannot be reached; since 2026-01-01T00:01:00Z',
      lastTransitionTime: '2026-01-01T00:01:00Z',
    });
  });

  test('is reported with the same message an hour later', () => {
    const first = statusOf({ ...lost, nowMs: NOW_MS + 60_000 }, created);

    expect(statusOf({ ...lost, nowMs: NOW_MS + 3_660_000 }, first)).toEqual(first);
  });

  test('blocks changes requested in the meantime, which report the outage, and nothing is Degraded', () => {
    const updated = { ...aCluster({}, { generation: 4 }), status: created };
    const first = clusterStatus(updated, { ...healthyFacts, ...lost });
    const second = clusterStatus({ ...updated, status: first }, { ...healthyFacts, ...lost });

    for (const status of [first, second]) {
      expect(status.phase).toBe('Updating');
      expect(of(status, 'NetworkReady')).toMatchObject({ status: 'False', reason: 'CloudUnavailable' });
      expect(of(status, 'Ready')).toMatchObject({ status: 'False', reason: 'CloudUnavailable' });
    }
  });

  test.each([
    { reason: 'RateLimited', status: 'False' },
    { reason: 'CredentialInvalid', status: 'Unknown' },
  ] as const)('is reported as $status for $reason', ({ reason, status }) => {
    const cloud = { problem: { reason, message: 'because' } };

    expect(of(statusOf({ cloud }, created), 'CloudReachable')).toMatchObject({ status, reason });
  });

  test('keeps its state if it was not queried', () => {
    const first = statusOf({ ...lost, nowMs: NOW_MS + 60_000 }, created);

    expect(of(statusOf({ cloud: undefined }, first), 'CloudReachable')).toEqual(of(first, 'CloudReachable'));
    expect(of(statusOf({}, first), 'CloudReachable')).toMatchObject({ status: 'True' });
  });
});

describe('the conditions of a cluster', () => {
  test.each<{ facts: Partial<ClusterFacts>; expectedMessage: Record<string, string> }>([
    {
      facts: {},
      expectedMessage: {
        NetworkReady: 'True AsExpected',
        ControlPlaneReady: 'True AsExpected',
        NodePoolsReady: 'True AsExpected',
        CloudReachable: 'True AsExpected',
        UpToDate: 'True AsExpected',
        Ready: 'True AsExpected',
      },
    },
    {
      facts: fresh,
      expectedMessage: {
        NetworkReady: 'False Provisioning',
        ControlPlaneReady: 'False Provisioning',
        NodePoolsReady: 'True AsExpected',
        CloudReachable: 'True AsExpected',
        Ready: 'False Provisioning',
      },
    },
    {
      facts: { controlPlaneProblem: problem('ControlPlaneFailed'), pools: [pool('a', 1, 0, 'WaitingForNode')] },
      expectedMessage: {
        NetworkReady: 'True AsExpected',
        ControlPlaneReady: 'False ControlPlaneFailed',
        NodePoolsReady: 'False WaitingForNode',
        CloudReachable: 'True AsExpected',
        UpToDate: 'True AsExpected',
        Ready: 'False ControlPlaneFailed',
      },
    },
    {
      facts: { network: { ...network, ready: false } },
      expectedMessage: {
        NetworkReady: 'False AttachingRouter',
        ControlPlaneReady: 'True AsExpected',
        NodePoolsReady: 'True AsExpected',
        CloudReachable: 'True AsExpected',
        UpToDate: 'True AsExpected',
        Ready: 'False AttachingRouter',
      },
    },
    {
      facts: {
        network: {
          ...network,
          ready: false,
          nodesCanStart: false,
          problem: { reason: 'SubnetNotFound', message: 'because' },
        },
      },
      expectedMessage: {
        NetworkReady: 'False SubnetNotFound',
        ControlPlaneReady: 'True AsExpected',
        NodePoolsReady: 'True AsExpected',
        CloudReachable: 'True AsExpected',
        UpToDate: 'True AsExpected',
        Ready: 'False SubnetNotFound',
      },
    },
  ])('are all set, and Ready is the first that is not met: $expectedMessage', ({ facts, expectedMessage }) => {
    const { conditions = [] } = statusOf(facts);
    expect(Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))).toEqual(
      expectedMessage,
    );
    expect(conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
  });

  test('contain only the reason and message of a problem', () => {
    const networkProblem = { reason: 'RateLimited' as const, message: 'because', retryAfterMs: 5_000 };

    expect(findCondition(statusOf({ networkProblem }).conditions, 'NetworkReady')).toEqual({
      type: 'NetworkReady',
      status: 'False',
      reason: 'RateLimited',
      message: 'because',
      observedGeneration: 3,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });

  test('mention the pool that is waiting, with all nodes counted', () => {
    const { conditions } = statusOf({ pools: [pool('a', 2, 2), pool('b', 3, 1, 'FlavorOutOfStock')] });

    expect(findCondition(conditions, 'Ready')?.message).toBe(
      '3/5 nodes are ready; pool b: b waits; since 2026-01-01T00:00:00Z',
    );
  });

  test('report why a pool that was not reconciled yet is waiting', () => {
    const fresh = pool('b', 1, 0);
    delete fresh.status;
    const { conditions } = statusOf({ pools: [pool('a', 2, 2), fresh] });

    expect(findCondition(conditions, 'Ready')?.message).toMatch(/; pool b has just been made or changed$/);
  });

  test('ignore a pool’s report about an older generation', () => {
    const changed = pool('a', 1, 1);
    changed.metadata.generation = 2;

    expect(findCondition(statusOf({ pools: [changed] }).conditions, 'NodePoolsReady')?.status).toBe('False');
  });
});

describe('lastOperation of a cluster', () => {
  const SNAPSHOT = '20251121-163000-000';
  const creating = statusOf(fresh);
  const created = statusOf({}, creating);

  test.each<{ was?: ClusterStatus; facts: Partial<ClusterFacts>; operation: object; reason: string }>([
    {
      facts: fresh,
      operation: { type: 'Create', state: 'Processing', progress: 45 },
      reason: 'it has no nodes to wait for',
    },
    { was: creating, facts: {}, operation: { type: 'Create', state: 'Succeeded', progress: 100 }, reason: 'done' },
    {
      was: creating,
      facts: { pools: [pool('a', 4, 2, 'WaitingForNode')] },
      operation: { type: 'Create', state: 'Processing', progress: 72 },
      reason: '25 for the network, 25 for the control plane, 45 for the nodes',
    },
    {
      was: creating,
      facts: { ...fresh, blocker: problem('PlanNotFound') },
      operation: { type: 'Create', state: 'Error', description: 'because' },
      reason: 'someone else must act',
    },
    {
      was: created,
      facts: { pools: [pool('a', 1, 0, 'WaitingForNode')] },
      operation: { type: 'Reconcile', state: 'Processing', progress: 50 },
      reason: 'a cluster is created once',
    },
  ])('$operation: $reason', ({ was, facts, operation }) => {
    expect(statusOf(facts, was).lastOperation).toMatchObject(operation);
  });

  test.each([
    { restored: undefined, type: 'Reconcile', reason: 'was fulfilled long before' },
    { restored: { snapshot: SNAPSHOT, atMs: NOW_MS }, type: 'Restore', reason: 'was just fulfilled' },
  ])('becomes $type after a restore if the request $reason', ({ restored, type }) => {
    const was: ClusterStatus = {
      ...statusOf({}),
      etcd: { quotaBytes: 1, lastRestore: { snapshot: 'b', restoredAt: '2026-01-01T00:00:00Z' } },
      lastOperation: {
        type: 'Restore',
        state: 'Error',
        progress: 0,
        description: 'snapshot c is not restored: the disk is full',
        lastUpdateTime: '2026-01-01T00:00:00Z',
        startTime: '2026-01-01T00:00:00Z',
      },
    };
    const snapshots = { list: [], problem: undefined, restored, restoring: undefined };
    const cluster = aCluster({ etcd: { restore: { snapshot: SNAPSHOT } } }, { generation: 1 });
    const facts = { ...healthyFacts, controlPlane: { ...controlPlane, snapshots } };
    const now = clusterStatus({ ...cluster, status: was }, facts);

    expect(now.lastOperation).toMatchObject({ type, state: 'Succeeded' });
    expect(now.durations?.map(({ what }) => what)).toEqual(restored && ['Restore']);
  });

  test('keeps its time while it is unchanged', () => {
    const later = statusOf({ nowMs: NOW_MS + 60_000 }, created);

    expect(later).toEqual(created);
  });
});

test('settings that are not in effect are reported for as long as that lasts', () => {
  const settingsProblem = 'spec.apiServer.oidc.certificateAuthority: holds no certificate';
  const rejected = statusOf({ controlPlane: { ...controlPlane, settingsProblem } }, { phase: 'Ready' });

  expect(rejected.phase).toBe('Degraded');
  const rejectedCondition = { status: 'False', reason: 'SettingsRejected', message: settingsProblem };
  expect(findCondition(rejected.conditions, 'SettingsApplied')).toMatchObject(rejectedCondition);
  const dated = `${settingsProblem}; since 2026-01-01T00:00:00Z`;
  expect(findCondition(rejected.conditions, 'Ready')).toMatchObject({ ...rejectedCondition, message: dated });
  expect(findCondition(rejected.conditions, 'ControlPlaneReady')).toMatchObject({ status: 'True' });
  const unknown = statusOf({ controlPlane: undefined }, rejected);
  expect(findCondition(unknown.conditions, 'SettingsApplied')).toMatchObject({ status: 'False' });
  expect(findCondition(statusOf({}, rejected).conditions, 'SettingsApplied')).toBeUndefined();
});

test('settings that the operator must enable require action by the operator', () => {
  const settingsProblem = 'spec.apiServer.allowedCIDRs is not applied: there is no nft on PATH';
  const open = statusOf({ controlPlane: { ...controlPlane, settingsProblem, settingsReason: 'SettingsNotEnforced' } });

  for (const type of ['SettingsApplied', 'Ready']) {
    expect(findCondition(open.conditions, type)).toMatchObject({ status: 'False', reason: 'SettingsNotEnforced' });
  }
  expect(actionRequiredBy('SettingsNotEnforced')).toBe('operator');
});

test('users denied by the API server are reported for as long as that lasts', () => {
  const settingsInEffect = 'the API server is reached from 192.0.2.0/24, and by nodes from 10.0.0.0/16';
  const closed = statusOf({ controlPlane: { ...controlPlane, settingsInEffect } });

  expect(findCondition(closed.conditions, 'SettingsApplied')).toMatchObject({
    status: 'True',
    message: settingsInEffect,
  });
  expect(findCondition(closed.conditions, 'Ready')).toMatchObject({ status: 'True' });
  expect(findCondition(statusOf({}, closed).conditions, 'SettingsApplied')).toBeUndefined();
});

test('conditions about facts that could not be observed this time keep their state', () => {
  const created = statusOf({});
  const unknown = { network: undefined, controlPlane: undefined, caCertificate: undefined, etcdQuotaBytes: undefined };
  const { endpoint, url, version, caCertificate, etcd, network: kept } = created;

  expect(statusOf({ ...unknown, projectID: undefined, isConnected: false }, created)).toMatchObject({
    endpoint,
    url: 'https://192.0.2.7:6443',
    version,
    caCertificate,
    etcd,
    network: kept,
  });
  expect(url).toBe('https://192.0.2.7:6443');
});

test('nodes of a pool being deleted are no longer desired, but still counted', () => {
  const going = pool('a', 2, 2, 'Deleting');
  going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';

  expect(statusOf({ pools: [going, pool('b', 1, 1)] })).toMatchObject({
    nodes: { desired: 1, current: 3, ready: 3, upToDate: 3 },
    upToDate: false,
    readySummary: '3/1',
  });
});

test('the status contains the first certificate’s expiry even while nothing is running', () => {
  const caFacts = {
    rotation: NEVER_ROTATED,
    caNotAfterMs: Date.parse('2036-01-01T00:00:00Z'),
    isCaInEffect: true,
    nodes: { total: 0, renewed: 0 },
  };
  const certificatesEndMs = Date.parse('2027-01-01T00:00:00Z');
  const running = statusOf({ caFacts, controlPlane: { ...controlPlane, certificatesEndMs } });
  const stopped = statusOf({ caFacts, controlPlane: undefined }, running);

  expect(running.credentials).toMatchObject({
    caNotAfter: '2036-01-01T00:00:00Z',
    certificatesNotAfter: '2027-01-01T00:00:00Z',
  });
  expect(stopped.credentials).toEqual(running.credentials);
});
