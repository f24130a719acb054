import type { Container, Pod, PodSpec } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { podStatusAt, stoppedPodStatus } from './pod-status.ts';

const START_MS = Date.UTC(2026, 0, 1);

function aPod(spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u', annotations },
    spec: { containers: [{ name: 'app', image: 'nginx' }], restartPolicy: 'Always', ...spec },
  };
}

function at(pod: Pod, seconds: number) {
  const nowMs = START_MS + seconds * 1000;
  const { status, nextChangeMs } = podStatusAt(pod, {
    startedMs: START_MS,
    nowMs,
    hostIp: '10.0.0.1',
    podIp: '10.2.0.2',
  });
  const [first] = status.containerStatuses ?? [];
  return {
    status,
    phase: status.phase,
    ready: status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
    restarts: first?.restartCount,
    waiting: first?.state?.waiting?.reason,
    exitCode: first?.state?.terminated?.exitCode,
    nextSeconds: nextChangeMs === undefined ? undefined : (nextChangeMs - START_MS) / 1000,
  };
}

const app = (command: string[], more: Partial<Container> = {}): Container[] => [{ name: 'app', command, ...more }];

describe('a pod over time', () => {
  it.each([
    ['serves forever', aPod(), 0, { phase: 'Running', ready: true, nextSeconds: undefined }],
    [
      'is not ready yet',
      aPod({}, { 'hollow.fairway.dev/ready-after': '9s' }),
      3,
      { phase: 'Running', ready: false, nextSeconds: 9 },
    ],
    [
      'becomes ready after its delay',
      aPod({}, { 'hollow.fairway.dev/ready-after': '9s' }),
      9,
      { phase: 'Running', ready: true },
    ],
    [
      'works',
      aPod({ restartPolicy: 'Never', containers: app(['sleep', '5']) }),
      4,
      { phase: 'Running', nextSeconds: 5 },
    ],
    [
      'completes',
      aPod({ restartPolicy: 'Never', containers: app(['sleep', '5']) }),
      5,
      { phase: 'Succeeded', exitCode: 0, ready: false, nextSeconds: undefined },
    ],
    ['has failed', aPod({ restartPolicy: 'Never', containers: app(['false']) }), 1, { phase: 'Failed', exitCode: 1 }],
    [
      'waits for an image that does not exist',
      aPod({ containers: [{ name: 'app', image: 'example.com:5000/webserver:404' }] }),
      60,
      { phase: 'Pending', ready: false, waiting: 'ImagePullBackOff', nextSeconds: undefined },
    ],
    [
      'waits for an init container without an image',
      aPod({ initContainers: [{ name: 'first', image: 'first:non-existent' }] }),
      60,
      { phase: 'Pending', waiting: 'PodInitializing' },
    ],
    [
      'restarts immediately the first time',
      aPod({ containers: app(['sleep', '5']) }),
      6,
      { phase: 'Running', restarts: 1, nextSeconds: 10 },
    ],
    [
      'backs off the second time',
      aPod({ containers: app(['sleep', '5']) }),
      11,
      { phase: 'Running', restarts: 1, waiting: 'CrashLoopBackOff', ready: false, nextSeconds: 20 },
    ],
    [
      'is not restarted after success',
      aPod({ restartPolicy: 'OnFailure', containers: app(['true']) }),
      1,
      { phase: 'Succeeded' },
    ],
    [
      'is restarted after failure',
      aPod({ restartPolicy: 'OnFailure', containers: app(['false']) }),
      1,
      { phase: 'Running', waiting: 'CrashLoopBackOff' },
    ],
    [
      'initialises',
      aPod({ initContainers: [{ name: 'i', command: ['sleep', '3'] }] }),
      1,
      { phase: 'Pending', waiting: 'PodInitializing', nextSeconds: 3 },
    ],
    [
      'starts when initialised',
      aPod({ initContainers: [{ name: 'i', command: ['sleep', '3'] }] }),
      3,
      { phase: 'Running', ready: true },
    ],
    [
      'fails with its init container',
      aPod({ restartPolicy: 'Never', initContainers: [{ name: 'i', command: ['false'] }] }),
      1,
      { phase: 'Failed' },
    ],
    [
      'is never ready with a probe that fails',
      aPod({ containers: [{ name: 'app', readinessProbe: { exec: { command: ['/bin/false'] } } }] }),
      60,
      { phase: 'Running', ready: false, restarts: 0, nextSeconds: undefined },
    ],
    [
      'is ready with a probe whose result cannot be determined',
      aPod({ containers: [{ name: 'app', readinessProbe: { exec: { command: ['test', '-f', '/tmp/ready'] } } }] }),
      0,
      { phase: 'Running', ready: true },
    ],
    [
      'runs with a sidecar',
      aPod({ initContainers: [{ name: 's', restartPolicy: 'Always' }] }),
      0,
      { phase: 'Running', ready: true },
    ],
    [
      'completes even if its sidecar does not',
      aPod({
        restartPolicy: 'Never',
        containers: app(['true']),
        initContainers: [{ name: 's', restartPolicy: 'Always' }],
      }),
      1,
      { phase: 'Succeeded' },
    ],
    ['changes next at its deadline', aPod({ activeDeadlineSeconds: 30 }), 1, { phase: 'Running', nextSeconds: 30 }],
    [
      'fails at its deadline',
      aPod({ activeDeadlineSeconds: 30 }),
      31,
      { phase: 'Failed', exitCode: 143, nextSeconds: undefined },
    ],
    [
      'waits for a readiness gate',
      aPod({ readinessGates: [{ conditionType: 'x/y' }] }),
      0,
      { phase: 'Running', ready: false },
    ],
  ])('%s', (_, pod, seconds, expected) => {
    expect(at(pod, seconds)).toMatchObject(expected);
  });
});

it('a failing container backs off up to five minutes, and completed cycles are skipped', () => {
  const pod = aPod({ containers: app(['false']) });
  const restartTimes = [0, 10, 30, 70, 150, 310, 610, 910];

  for (const [index, seconds] of restartTimes.entries()) expect(at(pod, seconds).restarts).toBe(index + 1);
  expect(at(pod, 910 + 300 * 1000).restarts).toBe(8 + 1000);
});

it('reports which init containers have not succeeded', () => {
  const commands = { first: ['true'], second: ['false'], third: ['true'] };
  const initContainers = Object.entries(commands).map(([name, command]) => ({ name, command }));
  const { status } = at(aPod({ restartPolicy: 'Never', initContainers }), 1);

  expect(status.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
    status: 'False',
    message: 'containers with incomplete status: [second third]',
  });
});

it('runs containers added later from the time at which they are first seen', () => {
  const [debugger_, lost] = [
    { name: 'debugger', image: 'busybox' },
    { name: 'lost', image: 'lost:404' },
  ];
  const pod = aPod({ ephemeralContainers: [debugger_, lost] });
  const { status } = at(pod, 5);
  const later = at({ ...pod, status }, 60);

  expect(status.ephemeralContainerStatuses).toMatchObject([
    { name: 'debugger', restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:05Z' } } },
    { name: 'lost', state: { waiting: { reason: 'ImagePullBackOff' } } },
  ]);
  expect(later.status.ephemeralContainerStatuses).toEqual(status.ephemeralContainerStatuses);
});

it('reports the termination message of a container', () => {
  const containers = app(['sh', '-c', 'echo -n done > /dev/termination-log; exit 3']);
  const once = at(aPod({ restartPolicy: 'Never', containers }), 1);
  const again = at(aPod({ containers }), 15);

  const reported = { exitCode: 3, reason: 'Error', message: 'done' };
  expect(once.status.containerStatuses?.[0]?.state?.terminated).toMatchObject(reported);
  expect(again.status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject(reported);
});

it('keeps the times of unchanged conditions', () => {
  const pod = aPod();
  const { status } = at(pod, 0);
  const later = at({ ...pod, status }, 60);

  expect(later.status.conditions).toEqual(status.conditions);
});

it('reports why the pod was terminated', () => {
  expect(at(aPod({ activeDeadlineSeconds: 30 }), 31).status).toMatchObject({
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
});

it('stops running containers on deletion, and keeps completed ones', () => {
  const pod = aPod({ restartPolicy: 'Never', containers: [...app(['true']), { name: 'web' }] });
  const stoppedMs = START_MS + 10_000;

  const status = stoppedPodStatus(
    pod,
    { startedMs: START_MS, nowMs: stoppedMs, hostIp: undefined, podIp: undefined },
    stoppedMs,
  );

  expect(status.phase).toBe('Failed');
  expect(status.containerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([0, 143]);
});
