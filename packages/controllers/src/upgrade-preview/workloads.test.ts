import type { UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';
import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { aPod } from '@fairway/scheduling/testing/objects';
import { expect, test } from 'vitest';
import type { PoolUpdate } from './pool-updates.ts';
import type { PodFacts } from './tenant-facts.ts';
import { workloadFindings } from './workloads.ts';

const OWNER_REFERENCES = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }];

interface PodOptions {
  readonly node?: string;
  readonly labels?: Record<string, string>;
  readonly owner?: string | undefined;
  readonly isReady?: boolean;
  readonly hasLocalData?: boolean;
  readonly phase?: string;
}

function podOf(name: string, options: PodOptions = {}): PodFacts {
  const { node = 'old-0', labels = { app: 'web' }, isReady = true, hasLocalData = false, phase = 'Running' } = options;
  const owner = 'owner' in options ? options.owner : 'ReplicaSet';
  const pod = aPod(name, { nodeName: node }, labels);
  const ownerReferences = OWNER_REFERENCES.map((each) => ({ ...each, kind: owner ?? '' }));
  const metadata = { ...pod.metadata, ...(owner !== undefined && { ownerReferences }) };
  return { pod: { ...pod, metadata, status: { phase } }, isReady, hasLocalData };
}

function budgetOf(
  name: string,
  status: PodDisruptionBudget['status'],
  { app = 'web', policy }: { readonly app?: string; readonly policy?: string } = {},
): PodDisruptionBudget {
  const selector = { matchLabels: { app } };
  return {
    metadata: { name, namespace: 'default' },
    spec: { selector, ...(policy !== undefined && { unhealthyPodEvictionPolicy: policy }) },
    ...(status && { status }),
  };
}

const NONE = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 };
const UNHEALTHY = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 };

function find(pods: readonly PodFacts[], budgets: readonly PodDisruptionBudget[] = [], onDrainTimeout = 'Force') {
  const nodes = ['old-0', 'old-1'];
  const outdated = nodes.map((name) => ({ machine: { metadata: { name } } }));
  const pool = { spec: { upgradeStrategy: { onDrainTimeout } } };
  const renewal = { name: 'general', pool, outdated, drainTimeoutMs: 600_000 } as unknown as PoolUpdate;
  return workloadFindings([renewal], { pods, budgets }, async () => {});
}

const findingMessages = (findings: readonly UpgradeFinding[]) =>
  findings.map(({ type, effect, objects }) => `${effect} ${type}: ${objects?.join(', ')}`);

test.each<{
  reason: string;
  pods: readonly PodFacts[];
  budgets?: readonly PodDisruptionBudget[];
  is: readonly string[];
}>([
  { reason: 'a pod with a controller moves', pods: [podOf('a')], is: [] },
  { reason: 'a pod on a node that is not drained', pods: [podOf('a', { node: 'other', owner: undefined })], is: [] },
  { reason: 'a bare pod is lost', pods: [podOf('a', { owner: undefined })], is: ['Loses UnmanagedPods: default/a'] },
  {
    reason: 'a completed bare pod does not count',
    pods: [podOf('a', { owner: undefined, phase: 'Succeeded' })],
    is: [],
  },
  {
    reason: 'a pod of a DaemonSet stays with its node',
    pods: [podOf('a', { owner: 'DaemonSet', hasLocalData: true })],
    is: [],
  },
  {
    reason: 'data on the node is lost',
    pods: [podOf('a', { hasLocalData: true })],
    is: ['Loses LocalStorage: default/a'],
  },
  {
    reason: 'a bare pod is lost with its data',
    pods: [podOf('a', { owner: undefined, hasLocalData: true })],
    is: ['Loses UnmanagedPods: default/a'],
  },
  {
    reason: 'a budget that allows one eviction',
    pods: [podOf('a')],
    budgets: [budgetOf('web', { ...NONE, disruptionsAllowed: 1 })],
    is: [],
  },
  {
    reason: 'a budget that allows no eviction',
    pods: [podOf('a'), podOf('b', { node: 'old-1' })],
    budgets: [budgetOf('web', NONE), budgetOf('db', NONE, { app: 'db' })],
    is: ['Delays PodDisruptionBudget: default/a, default/b'],
  },
  {
    reason: 'a pod that was never started',
    pods: [podOf('a', { phase: 'Pending' })],
    budgets: [budgetOf('web', NONE)],
    is: [],
  },
  {
    reason: 'an unready pod of a budget with too few healthy pods',
    pods: [podOf('a', { isReady: false })],
    budgets: [budgetOf('web', UNHEALTHY)],
    is: ['Delays PodDisruptionBudget: default/a'],
  },
  {
    reason: 'an unready pod that the budget always allows to be evicted',
    pods: [podOf('a', { isReady: false })],
    budgets: [budgetOf('web', UNHEALTHY, { policy: 'AlwaysAllow' })],
    is: [],
  },
  {
    reason: 'an unready pod while enough others are ready',
    pods: [podOf('a', { isReady: false })],
    budgets: [budgetOf('web', NONE)],
    is: [],
  },
  {
    reason: 'a pod with two budgets, although both allow its eviction',
    pods: [podOf('a')],
    budgets: [budgetOf('web', { ...NONE, disruptionsAllowed: 1 }), budgetOf('too', { ...NONE, disruptionsAllowed: 1 })],
    is: ['Delays PodDisruptionBudget: default/a: default/web, default/too'],
  },
])('$reason: $is', async ({ pods, budgets, is }) => {
  expect(findingMessages(await find(pods, budgets))).toEqual(is);
});

test.each([
  { status: NONE, why: 'it requires 2 healthy pods and 2 exist, so none can ever be evicted' },
  { status: UNHEALTHY, why: '1 of its 3 pods are healthy, and it requires 2' },
  { status: undefined, why: 'its pods have not been counted yet' },
])('a budget finding contains the reason: $why', async ({ status, why }) => {
  const [finding] = await find([podOf('a')], [budgetOf('web', status)]);

  expect(finding?.message).toContain(`PodDisruptionBudget default/web allows no eviction now: ${why}`);
  expect(finding?.message).toContain('1 node: each drain waits for up to 10 min (drainTimeout)');
});

test('a budget blocks until someone intervenes if the pool holds drains', async () => {
  const [finding] = await find([podOf('a')], [budgetOf('web', NONE)], 'Hold');

  expect(finding).toMatchObject({ effect: 'Blocks', message: expect.stringContaining('or until you force it') });
});

test('a finding lists fifty pods, and counts the others', async () => {
  const pods = Array.from({ length: 64 }, (_, index) => podOf(`p-${index}`, { owner: undefined }));
  const [finding] = await find(pods);

  expect(finding?.objects).toHaveLength(50);
  expect(finding?.more).toBe(14);
});

test('findings report fifty budgets individually, and the others by name', async () => {
  const apps = Array.from({ length: 60 }, (_, index) => `app-${index}`);
  const pods = apps.map((app) => podOf(app, { labels: { app } }));
  const findings = await find(
    pods,
    apps.map((app) => budgetOf(app, NONE, { app })),
  );

  expect(findings).toHaveLength(51);
  expect(findings.at(-1)?.objects).toHaveLength(10);
});

test('a finding lists only a few of the thousands of budgets for one pod', async () => {
  const budgets = Array.from({ length: 2_000 }, (_, index) => budgetOf(`budget-${index}`, NONE));
  const [finding] = await find([podOf('a')], budgets);

  expect(finding?.objects).toEqual(['default/a: default/budget-0, default/budget-1, default/budget-2, 1997 more']);
});
