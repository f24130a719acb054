import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { Condition } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import { localTime } from '../output/local-time.ts';
import { clusterUpgraded } from './upgrade-goal.ts';

const condition = (type: string, reason: string, status: 'True' | 'False' = 'False'): Condition => ({
  type,
  status,
  reason,
  message: `because of ${reason}`,
  lastTransitionTime: '2026-11-22T00:00:00Z',
});

const ready = [condition('Ready', 'AsExpected', 'True'), condition('ControlPlaneReady', 'AsExpected', 'True')];

const machine = (version: string, status: Machine['status'] = { version, phase: 'Ready' }) =>
  ({ metadata: { name: 'demo-1' }, spec: { version }, status }) as Machine;

const view = (status: ClusterStatus, machines: readonly Machine[], upgrade?: Partial<PoolUpgrade>) => ({
  cluster: { ...aCluster({}, { name: 'demo', generation: 2 }), status: { observedGeneration: 2, ...status } },
  pools: upgrade ? [{ ...aNodePool(), status: { upgrade: upgrade as PoolUpgrade } }] : [],
  machines,
});

interface Row {
  readonly reason: string;
  readonly view: ReturnType<typeof view>;
  readonly outcome: object;
  readonly requestedVersion?: string;
}

test.each<Row>([
  {
    reason: 'everything is ready at the old version, and the request is not observed yet',
    view: view({ observedGeneration: 1, version: '1.35.2', conditions: ready }, [machine('1.35.2')]),
    outcome: { state: 'running' },
  },
  {
    reason: 'the control plane waits for the window',
    view: view({ version: '1.35.2', conditions: [...ready, condition('UpToDate', 'WaitingForMaintenanceWindow')] }, []),
    outcome: { state: 'running' },
  },
  {
    reason: 'nodes are too old for the new control plane',
    view: view({ version: '1.35.2', conditions: [...ready, condition('UpToDate', 'NodesTooOld')] }, []),
    outcome: { state: 'blocked', reason: 'NodesTooOld', message: 'because of NodesTooOld' },
  },
  {
    reason: 'nodes are not upgraded yet',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3'), machine('1.35.2')]),
    outcome: { state: 'running' },
  },
  {
    reason: 'a node is being reinstalled and still reports the old kubelet',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3', { version: '1.35.2', phase: 'Ready' })]),
    outcome: { state: 'running' },
  },
  {
    reason: 'a node is registered, but its kubelet has not reported a version yet',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3', { version: '', phase: 'Installing' })]),
    outcome: { state: 'running' },
  },
  {
    reason: 'a kubelet reports something that is not a version',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3', { version: 'dev', phase: 'Ready' })]),
    outcome: { state: 'running' },
  },
  {
    reason: 'a node runs another minor version with the same prefix',
    requestedVersion: '1.3',
    view: view({ version: '1.3.0', conditions: ready }, [machine('1.3.0', { version: '1.36.0', phase: 'Ready' })]),
    outcome: { state: 'running' },
  },
  {
    reason: 'a drain is blocked until its timeout',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.35.2')], {
      state: 'Running',
      reason: 'PodDisruptionBudget',
      message: 'web keeps its pods',
    }),
    outcome: { state: 'running' },
  },
  {
    reason: 'a pool is halted',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.35.2')], {
      state: 'Halted',
      reason: 'UpgradeHalted',
      message: 'demo-1 does not work',
    }),
    outcome: { state: 'blocked', reason: 'UpgradeHalted', message: 'pool general: demo-1 does not work' },
  },
  {
    reason: 'the server reports a reason that this client does not know',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.35.2')], { state: 'Waiting', reason: 'Newer' }),
    outcome: { state: 'running' },
  },
  {
    reason: 'all nodes are upgraded, and the cluster is settling',
    view: view({ version: '1.36.3', conditions: [condition('Ready', 'Updating')] }, [machine('1.36.3')]),
    outcome: { state: 'running' },
  },
  {
    reason: 'everything is done',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3')]),
    outcome: { state: 'done' },
  },
  {
    reason: 'an older patch than the requested one',
    requestedVersion: '1.36.4',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3')]),
    outcome: { state: 'running' },
  },
])('$reason: $outcome.state', ({ view, outcome, requestedVersion = '1.36' }) => {
  expect(clusterUpgraded('demo', requestedVersion).outcome(view)).toEqual(outcome);
});

test.each([
  {
    reason: 'the control plane comes first',
    view: view({ version: '1.35.2', conditions: [...ready, condition('UpToDate', 'Updating')] }, [machine('1.35.2')]),
    details: ['because of Updating', ''],
  },
  {
    reason: 'the pool reports what it waits for',
    view: view({ version: '1.36.3', conditions: ready }, [machine('1.36.3'), machine('1.35.2')], {
      reason: 'QuotaExceeded',
      message: 'no room',
    }),
    details: ['1.36.3', '1/2 nodes; pool general: no room'],
  },
  {
    reason: 'the step shows the current node, the reason and start of its wait, and the expected end',
    view: view(
      {
        version: '1.36.3',
        conditions: ready,
        lastOperation: { estimatedEndTime: '2026-11-22T01:00:00Z' } as LastOperation,
      },
      [machine('1.36.3'), machine('1.35.2'), machine('1.35.2', { version: '1.35.2', phase: 'Draining' })],
      { reason: 'PodDisruptionBudget', message: 'web keeps its pods', since: '2026-11-22T00:30:00Z' },
    ),
    details: [
      '1.36.3',
      `1/3 nodes; demo-1: Draining; pool general: web keeps its pods, since ${localTime('2026-11-22T00:30:00Z')}; done about ${localTime('2026-11-22T01:00:00Z')}`,
    ],
  },
])('steps: $reason', ({ view, details }) => {
  expect(
    clusterUpgraded('demo', '1.36')
      .steps(view)
      .map(({ detail }) => detail),
  ).toEqual(details);
});
