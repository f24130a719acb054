import { expect, test } from 'vitest';
import { behaviorOf, parseDurationMs } from './container-behavior.ts';

const FOR_EVER = undefined;

test.each([
  { reason: 'an image alone says nothing', exitAfterMs: FOR_EVER },
  { command: ['sleep', '3'], exitAfterMs: 3000, exitCode: 0 },
  { command: ['/bin/sleep', '2m'], exitAfterMs: 120_000, exitCode: 0 },
  { command: ['sleep', 'infinity'], exitAfterMs: FOR_EVER },
  { command: ['sleep'], args: ['0.5'], exitAfterMs: 500, exitCode: 0 },
  { command: ['/bin/true'], exitAfterMs: 0, exitCode: 0 },
  { command: ['false'], exitAfterMs: 0, exitCode: 1 },
  { command: ['echo', 'hello'], exitAfterMs: 0, exitCode: 0 },
  { command: ['sh', '-c', 'sleep 5; exit 3'], exitAfterMs: 5000, exitCode: 3 },
  { command: ['/bin/sh', '-ec', 'echo hi && sleep 1 && echo done'], exitAfterMs: 1000, exitCode: 0 },
  { command: ['sh', '-c'], args: ['exit 1'], exitAfterMs: 0, exitCode: 1 },
  { command: ['sh', '-c', 'while true; do date; done'], exitAfterMs: FOR_EVER, reason: 'loops are not understood' },
  { command: ['perl', '-e', 'print 1'], exitAfterMs: FOR_EVER },
  { args: ['--config=/etc/x'], exitAfterMs: FOR_EVER },
])('a container of $command $args', ({ command, args, exitAfterMs, exitCode = 0 }) => {
  const container = { name: 'a', ...(command && { command }), ...(args && { args }) };

  expect(behaviorOf(container, undefined, 'app')).toMatchObject({ exitAfterMs, exitCode });
});

test.each([
  [
    { 'hollow.fairway.dev/exit-after': '5s', 'hollow.fairway.dev/exit-code': '7' },
    { exitAfterMs: 5000, exitCode: 7 },
  ],
  [{ 'hollow.fairway.dev/ready-after': '3s' }, { readyAfterMs: 3000 }],
  [{ 'hollow.fairway.dev/ready-after': 'never' }, { readyAfterMs: undefined }],
])('annotations %o take precedence over the command', (annotations, expected) => {
  expect(behaviorOf({ name: 'a', command: ['true'] }, annotations, 'app')).toMatchObject(expected);
});

test('an init container with an unknown command completes immediately, a sidecar never', () => {
  expect(behaviorOf({ name: 'a' }, undefined, 'init').exitAfterMs).toBe(0);
  expect(behaviorOf({ name: 'a', restartPolicy: 'Always' }, undefined, 'init').exitAfterMs).toBeUndefined();
});

test('readiness waits for the initial delays of the probes', () => {
  const probe = { initialDelaySeconds: 4 };

  expect(behaviorOf({ name: 'a', readinessProbe: probe, startupProbe: probe }, undefined, 'app').readyAfterMs).toBe(
    8000,
  );
});

test.each([
  ['1m30s', 90_000],
  ['500ms', 500],
  ['1.5h', 5_400_000],
  ['0', 0],
  ['5', undefined],
  ['soon', undefined],
])('the duration %s', (text, milliseconds) => {
  expect(parseDurationMs(text)).toBe(milliseconds);
});
