import { addonsOf } from '@fairway/addons/catalogue';
import type { Health } from '@fairway/addons/health';
import { someFacts } from '@fairway/addons/testing/facts';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { addonsCondition } from '../cluster/addons-condition.ts';
import type { Outcome } from './apply-addons.ts';
import { addonStatus } from './status.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-11-23T06:00:00Z');
const [addon] = addonsOf(someFacts());
const server = addonsOf(someFacts()).find(({ aggregatedApi }) => aggregatedApi);
const missing = addonsOf(someFacts({ reachesNodes: false })).find(({ aggregatedApi }) => aggregatedApi);
const applied: Outcome = { kind: 'applied', conflicts: [] };

function previousStatus(state: AddonStatus['state'], agoMs: number, message?: string): AddonStatus {
  const lastTransitionTime = formatTime(NOW_MS - agoMs);
  return { name: 'kube-proxy', state, reason: 'AsExpected', ...(message && { message }), lastTransitionTime };
}

function statusFor(
  previous: AddonStatus | undefined,
  health: Health | undefined,
  failingForMs?: number,
  outcome = applied,
) {
  if (addon === undefined) throw new Error('there is no add-on');
  const failingSinceMs = failingForMs === undefined ? undefined : NOW_MS - failingForMs;
  return addonStatus(previous, { addon, outcome, health, failingSinceMs }, NOW_MS);
}

describe('addonStatus', () => {
  test.each([
    { previous: undefined, health: undefined, is: 'Progressing', reason: 'Provisioning' },
    { previous: undefined, health: 'unseen', is: 'Progressing', reason: 'Provisioning' },
    {
      previous: previousStatus('Progressing', 99 * MINUTE_MS),
      health: 'unseen',
      is: 'Progressing',
      reason: 'Provisioning',
    },
    {
      previous: previousStatus('Progressing', 99 * MINUTE_MS),
      health: 'waiting',
      is: 'Progressing',
      reason: 'WaitingForNode',
    },
    {
      previous: previousStatus('Progressing', 9 * MINUTE_MS),
      health: 'failing',
      is: 'Progressing',
      reason: 'Provisioning',
    },
    {
      previous: previousStatus('Progressing', 10 * MINUTE_MS),
      health: 'failing',
      is: 'Degraded',
      reason: 'AddonDegraded',
    },
    { previous: previousStatus('Ready', MINUTE_MS), health: 'updating', is: 'Progressing', reason: 'Updating' },
    {
      previous: previousStatus('Progressing', 29 * MINUTE_MS),
      health: 'updating',
      is: 'Progressing',
      reason: 'Updating',
    },
    {
      previous: previousStatus('Progressing', 30 * MINUTE_MS),
      health: 'updating',
      is: 'Degraded',
      reason: 'AddonDegraded',
    },
    { previous: previousStatus('Degraded', MINUTE_MS), health: 'failing', is: 'Degraded', reason: 'AddonDegraded' },
    { previous: previousStatus('Degraded', MINUTE_MS), health: 'working', is: 'Ready', reason: 'AsExpected' },
    { previous: previousStatus('Failed', MINUTE_MS), health: 'working', is: 'Ready', reason: 'AsExpected' },
  ] as const)(
    'reports $is ($reason) if it was $previous.state and its health is $health',
    ({ previous, health, is, reason }) => {
      expect(statusFor(previous, health)).toMatchObject({ state: is, reason, version: '1.34.2' });
    },
  );

  test.each([
    { failingForMs: 0, is: 'Ready' },
    { failingForMs: MINUTE_MS - 1, is: 'Ready' },
    { failingForMs: MINUTE_MS, is: 'Degraded' },
  ])('becomes Degraded after a minute of failures: $is after $failingForMs ms', ({ failingForMs, is }) => {
    expect(statusFor(previousStatus('Ready', 99 * MINUTE_MS), 'failing', failingForMs).state).toBe(is);
  });

  test('keeps lastTransitionTime while the state is unchanged', () => {
    const previous = statusFor(previousStatus('Ready', MINUTE_MS), 'working');

    expect(previous.lastTransitionTime).toBe(formatTime(NOW_MS - MINUTE_MS));
  });
});

describe('an add-on that serves an API', () => {
  const statusOf = (of: typeof server, previous: AddonStatus | undefined, outcome: Outcome, health?: Health) => {
    if (of === undefined) throw new Error('there is no such add-on');
    return addonStatus(previous, { addon: of, outcome, health, failingSinceMs: NOW_MS - MINUTE_MS }, NOW_MS);
  };

  test('reports why it is not registered, with the first message', () => {
    const first = statusOf(server, undefined, { kind: 'unreached', message: 'no route to 10.1.0.5' }, 'unserved');
    const second = statusOf(server, first, { kind: 'unreached', message: 'no route to 10.1.0.6' }, 'unserved');

    expect(first).toMatchObject({ state: 'Unreached', reason: 'AddonUnreached', version: '0.9.0' });
    expect(first.message).toMatch(/the API server cannot reach it: no route to 10\.1\.0\.5$/);
    expect(second).toEqual(first);
  });

  test('has no version if it is not installed', () => {
    const status = statusOf(missing, undefined, applied);

    expect(status).toMatchObject({ state: 'Unreached', message: expect.stringContaining('simulated control planes') });
    expect(status.version).toBeUndefined();
  });

  test.each([
    {
      health: 'unserved',
      says: /APIService v1beta1\.metrics\.k8s\.io is not available; to see why: kubectl describe apiservice /,
    },
    {
      health: 'failing',
      says: /\(it needs TCP port 4443 of its node\); to see why: kubectl -n kube-system describe pods /,
    },
  ] as const)('suggests the command to run if its health is $health', ({ health, says: words }) => {
    const status = statusOf(server, previousStatus('Ready', 99 * MINUTE_MS), applied, health);

    expect(status).toMatchObject({ state: 'Degraded', reason: 'AddonDegraded', message: expect.stringMatching(words) });
  });

  test.each([
    { state: 'Unreached', is: 'True' },
    { state: 'Degraded', is: 'False' },
  ] as const)('leaves AddonsReady $is if its state is $state', ({ state, is }) => {
    expect(addonsCondition([previousStatus(state, 0, 'so')], { wanted: false })).toMatchObject({ status: is });
  });
});

test('addonStatus keeps the rejection message while object and reason are the same, because webhook messages may vary', () => {
  const refused = (message: string, reason = 'Forbidden'): Outcome => ({
    kind: 'refused',
    refusal: { object: 'DaemonSet kube-system/kube-proxy', reason, message },
  });
  const first = statusFor(undefined, undefined, undefined, refused('request 1 is denied'));

  expect(statusFor(first, undefined, undefined, refused('request 2 is denied'))).toEqual(first);
  expect(statusFor(first, undefined, undefined, refused('too long', 'Invalid')).message).toContain('too long');
});

test('addonStatus lists at most five fields set by others, and truncates long ones', () => {
  const fields = Array.from({ length: 7 }, (_, index) => `.data.${index}${'x'.repeat(999)}`);
  const conflicts = [{ object: 'ConfigMap kube-system/kube-proxy', fields, managers: ['helm'] }];
  const { state, message = '' } = statusFor(previousStatus('Ready', 0), 'working', undefined, {
    kind: 'applied',
    conflicts,
  });

  expect(state).toBe('Modified');
  expect(message).toContain('2 more of ConfigMap kube-system/kube-proxy (by helm)');
  expect(message.length).toBeLessThanOrEqual(1_000);
});

describe('addonsCondition', () => {
  const ready = previousStatus('Ready', 0);
  const modified = { ...previousStatus('Modified', 0, 'others have set it'), name: 'coredns' };

  test.each([
    { addons: undefined, wanted: false, is: undefined },
    { addons: [ready], wanted: true, is: undefined },
    { addons: [ready], wanted: false, is: { status: 'True', message: '' } },
    { addons: [ready, modified], wanted: false, is: { status: 'True', message: 'coredns: others have set it' } },
    {
      addons: [
        previousStatus('Progressing', 0, 'it starts'),
        { ...previousStatus('Failed', 0, 'no'), reason: 'AddonRefused', name: 'coredns' },
      ],
      wanted: false,
      is: { status: 'False', reason: 'AddonRefused', message: 'coredns: no; kube-proxy: it starts' },
    },
  ])('returns $is for $addons', ({ addons, wanted, is }) => {
    const condition = addonsCondition(addons, { wanted });

    expect(is === undefined ? condition : { ...condition, ...is }).toEqual(condition);
    expect(condition === undefined).toBe(is === undefined);
  });
});
