import { excessiveItemGrowth } from '@fairway/base/testing/growth';
import type { Container, PodSpec } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import { behaviorsOf } from './container-behavior.ts';
import { parseDurationMs } from './duration.ts';

const FOREVER = undefined;

interface Situation {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly files?: readonly string[];
}

function behaviors(container: Container, role: 'app' | 'init', { annotations, spec, files }: Situation = {}) {
  const metadata = { name: 'pod', uid: 'uid-1', ...(annotations && { annotations: { ...annotations } }) };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container], ...spec } };
  return behaviorsOf(container, pod, role, new Set(files));
}

test.each([
  { reason: 'an image alone does not determine the behavior', exitAfterMs: FOREVER },
  { command: ['sleep', '3'], exitAfterMs: 3000, exitCode: 0 },
  { command: ['/bin/sleep', '2m'], exitAfterMs: 120_000, exitCode: 0 },
  { command: ['sleep', 'infinity'], exitAfterMs: FOREVER },
  { command: ['sleep'], args: ['0.5'], exitAfterMs: 500, exitCode: 0 },
  { command: ['/bin/true'], exitAfterMs: 0, exitCode: 0 },
  { command: ['false'], exitAfterMs: 0, exitCode: 1 },
  { command: ['echo', 'hello'], exitAfterMs: 0, exitCode: 0 },
  { command: ['sh', '-c', 'sleep 5; exit 3'], exitAfterMs: 5000, exitCode: 3 },
  { command: ['/bin/sh', '-ec', 'echo hi && sleep 1 && echo done'], exitAfterMs: 1000, exitCode: 0 },
  { command: ['sh', '-c'], args: ['exit 1'], exitAfterMs: 0, exitCode: 1 },
  { command: ['sh', '-c', 'while true; do date; done'], exitAfterMs: FOREVER, reason: 'loops are not supported' },
  { command: ['perl', '-e', 'print 1'], exitAfterMs: FOREVER },
  { args: ['--config=/etc/x'], exitAfterMs: FOREVER },
])('a container that runs $command $args', ({ command, args, exitAfterMs, exitCode = 0 }) => {
  const container = { name: 'a', ...(command && { command }), ...(args && { args }) };

  expect(behaviors(container, 'app')).toMatchObject([{ exitAfterMs, exitCode }]);
});

test.each([
  [
    { 'hollow.fairway.dev/exit-after': '5s', 'hollow.fairway.dev/exit-code': '7' },
    { exitAfterMs: 5000, exitCode: 7 },
  ],
  [{ 'hollow.fairway.dev/ready-after': '3s' }, { readyAfterMs: 3000 }],
  [{ 'hollow.fairway.dev/ready-after': 'never' }, { readyAfterMs: undefined }],
])('annotations %o take precedence over the command', (annotations, expected) => {
  expect(behaviors({ name: 'a', command: ['true'] }, 'app', { annotations })).toMatchObject([expected]);
});

test('a shell without a command or terminal exits immediately', () => {
  const image = 'registry.example/library/busybox:1.37';

  expect(behaviors({ name: 'a', image }, 'app')).toMatchObject([{ exitAfterMs: 0, exitCode: 0 }]);
  expect(behaviors({ name: 'a', image, stdin: true }, 'app')).toMatchObject([{ exitAfterMs: FOREVER }]);
  expect(behaviors({ name: 'a', image: 'nginx' }, 'app')).toMatchObject([{ exitAfterMs: FOREVER }]);
});

test('an init container with an unknown command completes immediately, but a sidecar never completes', () => {
  expect(behaviors({ name: 'a' }, 'init')).toMatchObject([{ exitAfterMs: 0 }]);
  expect(behaviors({ name: 'a', restartPolicy: 'Always' }, 'init')).toMatchObject([{ exitAfterMs: FOREVER }]);
});

test('readiness waits for the initial delays of the probes', () => {
  const probe = { initialDelaySeconds: 4 };

  expect(behaviors({ name: 'a', readinessProbe: probe, startupProbe: probe }, 'app')).toMatchObject([
    { readyAfterMs: 8000 },
  ]);
});

const script = (text: string) => ({ name: 'a', command: ['sh', '-c', text] });

test.each([
  { script: 'if [ $(expr ${INDEX} % 2) -ne 0 ]; then\n exit 1\nelse\n exit 0\nfi', env: { INDEX: '3' }, exitCode: 1 },
  { script: 'if [ $(expr ${INDEX} % 2) -ne 0 ]; then exit 1; else exit 0; fi', env: { INDEX: '4' }, exitCode: 0 },
  { script: 'if [ "$A" = one ]; then exit 1; elif [ "$A" = two ]; then exit 2; fi', env: { A: 'two' }, exitCode: 2 },
  { script: 'exit $((INDEX * 2))', exitCode: FOREVER, reason: 'a sum of variables' },
  { script: 'exit $(( $INDEX * 2 ))', env: { INDEX: '4' }, exitCode: 8 },
  { script: 'false && exit 1; true || exit 2; exit 3', exitCode: 3 },
  { script: '! false && exit 4', exitCode: 4 },
  { script: 'echo a | cat > /dev/null; false', exitCode: 1 },
  { script: 'echo \'exit 5; \' "and $A"', env: { A: '; exit 6' }, exitCode: 0, reason: 'quotes' },
  { script: '# exit 1\nexit 2', exitCode: 2 },
  { script: 'test -n "$MISSING"', exitCode: 1 },
  { script: '[ -e /etc/hosts ]', exitCode: FOREVER, reason: 'files of the image are unknown' },
  { script: 'for i in 1 2; do echo $i; done', exitCode: FOREVER, reason: 'loops are not supported' },
  { script: 'server & exit 1', exitCode: FOREVER, reason: 'background jobs are not supported' },
  { script: `${'if true; then '.repeat(50)}exit 1${'; fi'.repeat(50)}`, exitCode: FOREVER, reason: 'too deep' },
])('the script $script with $env exits with $exitCode', ({ script: text, env = {}, exitCode }) => {
  const container = { ...script(text), env: Object.entries(env).map(([name, value]) => ({ name, value })) };

  const ended = exitCode === FOREVER ? { exitAfterMs: FOREVER } : { exitAfterMs: 0, exitCode };
  expect(behaviors(container, 'app')).toMatchObject([ended]);
});

test.each([
  { script: '/bin/echo -n DONE > /dev/termination-log', message: 'DONE' },
  { script: 'echo a > /dev/termination-log; echo b >> /dev/termination-log', message: 'a\nb\n' },
  { script: 'echo a > /dev/termination-log; echo b > /dev/termination-log', message: 'b\n' },
  { script: 'echo -n $A > /own', env: { A: 'x' }, path: '/own', message: 'x' },
  { script: 'echo DONE; false', message: undefined, reason: 'the log is not used for messages' },
  { script: 'echo -n DONE; false', policy: 'FallbackToLogsOnError', message: 'DONE' },
  {
    script: 'echo -n DONE; true',
    policy: 'FallbackToLogsOnError',
    message: undefined,
    reason: 'the container has not failed',
  },
  { script: 'echo -n OK > /dev/termination-log; echo DONE; false', policy: 'FallbackToLogsOnError', message: 'OK' },
  { script: 'echo DONE 2> /dev/null; exit 3', policy: 'FallbackToLogsOnError', message: 'DONE\n' },
  { script: 'date; false', policy: 'FallbackToLogsOnError', message: undefined, reason: 'unsupported script' },
  { script: 'echo a | cat; false', policy: 'FallbackToLogsOnError', message: undefined, reason: 'unsupported script' },
  { script: 'date > /dev/termination-log', message: undefined, reason: 'unsupported script' },
])('the script $script leaves the message $message', ({ script: text, env = {}, path, policy, message }) => {
  const container = {
    ...script(text),
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    ...(path && { terminationMessagePath: path }),
    ...(policy && { terminationMessagePolicy: policy }),
  };

  expect(behaviors(container, 'app')[0]?.message).toBe(message);
});

test('truncates a long message', () => {
  const long = { ...script(`echo -n ${'x'.repeat(5000)}; false`), terminationMessagePolicy: 'FallbackToLogsOnError' };

  expect(behaviors(long, 'app')[0]?.message).toHaveLength(2048);
});

test('sh -e exits at the first command that fails, unless it is a condition', () => {
  const strict = (text: string) => ({ name: 'a', command: ['sh', '-ec', text] });

  expect(behaviors(strict('false; exit 3'), 'app')).toMatchObject([{ exitCode: 1 }]);
  expect(behaviors(strict('if false; then exit 4; fi; false || exit 3'), 'app')).toMatchObject([{ exitCode: 3 }]);
});

test('variables come from the pod’s fields; the content of Secrets is unknown', () => {
  const from = (fieldPath: string) => ({
    ...script('exit $CODE'),
    env: [{ name: 'CODE', valueFrom: { fieldRef: { fieldPath } } }],
  });
  const annotations = { 'batch.kubernetes.io/job-completion-index': '7' };
  const secret = {
    ...script('exit $CODE'),
    env: [{ name: 'CODE', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
  };
  const field = "metadata.annotations['batch.kubernetes.io/job-completion-index']";

  expect(behaviors(from(field), 'app', { annotations })).toMatchObject([{ exitCode: 7 }]);
  expect(behaviors(secret, 'app')).toMatchObject([{ exitAfterMs: FOREVER }]);
});

const once = script('if [[ -r /data/seen ]]; then exit 0; else touch /data/seen; exit 42; fi');
const mounted = { ...once, volumeMounts: [{ name: 'data', mountPath: '/data' }] };

test('a file on an emptyDir survives a restart of the container', () => {
  const spec = { volumes: [{ name: 'data', emptyDir: {} }] };

  expect(behaviors(mounted, 'app', { spec })).toMatchObject([{ exitCode: 42 }, { exitCode: 0 }]);
});

test('a file on the node is visible to later pods', () => {
  const spec = { volumes: [{ name: 'data', hostPath: { path: '/tmp/job' } }] };

  expect(behaviors(mounted, 'app', { spec })).toMatchObject([
    { exitCode: 42, touchedFiles: ['host:/tmp/job/seen'] },
    {},
  ]);
  expect(behaviors(mounted, 'app', { spec, files: ['host:/tmp/job/seen'] })).toMatchObject([{ exitCode: 0 }]);
});

test('random values differ at each start, but are the same when computed again', () => {
  const random = script('exit $(( $RANDOM / 16384 ))');
  const codes = behaviors(random, 'app').map(({ exitCode }) => exitCode);

  expect(codes).toHaveLength(6);
  expect(new Set(codes)).toEqual(new Set([0, 1]));
  expect(behaviors(random, 'app').map(({ exitCode }) => exitCode)).toEqual(codes);
});

test.each([
  ['1m30s', 90_000],
  ['500ms', 500],
  ['1.5h', 5_400_000],
  ['0', 0],
  ['5', undefined],
  ['soon', undefined],
])('parses the duration %s', (text, milliseconds) => {
  expect(parseDurationMs(text)).toBe(milliseconds);
});

const LONG = 'x'.repeat(700_000);
const onHost = (path: string): Partial<PodSpec> => ({ volumes: [{ name: 'v', hostPath: { path } }] });

describe('long input is treated as unknown behavior, in time proportional to its length', () => {
  test.each<{ what: string; container: (count: number) => Partial<Container>; spec?: Partial<PodSpec> }>([
    {
      what: 'an argument that repeats a long variable',
      container: (count) => ({ env: [{ name: 'A', value: LONG }], command: ['echo', '$(A)'.repeat(count)] }),
    },
    {
      what: 'a script that repeats a long variable',
      container: (count) => ({
        env: [{ name: 'A', value: LONG }],
        command: ['sh', '-c', `test "${'$A'.repeat(count)}" = ''`],
      }),
    },
    {
      what: 'many negations',
      container: (count) => ({ command: ['test', ...Array.from({ length: count }, () => '!'), 'x', '-y'] }),
    },
    { what: 'unclosed braces', container: (count) => ({ command: ['sh', '-c', '${'.repeat(count)] }) },
    {
      what: 'many files',
      container: (count) => ({ command: ['touch', ...Array.from({ length: count }, (_, at) => `/d/${at}`)] }),
    },
    {
      what: 'a file in one of many mounts',
      container: (count) => ({
        command: ['sh', '-c', 'test -e /m/3999/x;'.repeat(800)],
        volumeMounts: Array.from({ length: count }, (_, at) => ({ name: 'v', mountPath: `/m/${at}` })),
      }),
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
    },
    {
      what: 'a file with a long name',
      container: () => ({ command: ['test', '-e', '/d/x'], volumeMounts: [{ name: 'v', mountPath: '/d' }] }),
      spec: onHost(`/${LONG}`),
    },
  ])('$what', async ({ container, spec }) => {
    const read = (count: number) => behaviors({ name: 'a', ...container(count) }, 'app', { ...(spec && { spec }) });

    expect(read(20_000)).toMatchObject([{ exitAfterMs: FOREVER, touchedFiles: [] }]);
    expect(await excessiveItemGrowth(read)).toBeUndefined();
  });
});
