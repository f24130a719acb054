import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { beforeEach, expect, test } from 'vitest';
import { COMPONENTS, type Component, perComponent } from './components.ts';
import { TERMINATION_GRACE_MS } from './plan-steps.ts';
import { ControlPlaneSupervisor, type DesiredControlPlane } from './supervisor.ts';
import { FakeMachine } from './testing/fake-machine.ts';

const FOLDER = '/home/cluster';
const START = COMPONENTS.map((component) => `start ${component}`);

let machine: FakeMachine;
let clock: FakeClock;
let changes: number;
beforeEach(() => {
  machine = new FakeMachine();
  clock = new FakeClock();
  changes = 0;
});

function supervise(): ControlPlaneSupervisor {
  return new ControlPlaneSupervisor({
    folder: FOLDER,
    host: machine,
    probes: machine,
    files: machine.files,
    clock,
    log: silentLogger,
    onChange: () => changes++,
  });
}

function desired(change: Partial<Record<Component, string>> = {}): DesiredControlPlane {
  return {
    launches: perComponent((component) => ({
      command: `/bin/${component}`,
      args: [],
      env: {},
      fingerprint: change[component] ?? 'first',
      sockets: [],
      memoryBytes: 100 * 2 ** 20,
    })),
    apiServer: {
      endpoint: { host: '127.0.0.1', port: 1 },
      certificateAuthority: '',
      certificate: '',
      privateKey: '',
    },
  };
}

async function started(supervisor = supervise()): Promise<ControlPlaneSupervisor> {
  await supervisor.want(desired());
  await clock.advance(2000);
  machine.takeEvents();
  return supervisor;
}

function isAllReady(supervisor: ControlPlaneSupervisor): boolean {
  return Object.values(supervisor.state.components).every(({ ready, current }) => ready && current);
}

test('components start in order, each when its dependencies serve', async () => {
  machine.silent.add('etcd');
  const supervisor = supervise();
  await supervisor.want(desired());
  await clock.advance(5000);
  expect(machine.takeEvents()).toEqual(['start etcd']);

  machine.silent.delete('etcd');
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual(START.slice(1));
  expect(isAllReady(supervisor)).toBe(true);
  expect(supervisor.state.databaseBytes).toBe(4096);
  expect(changes).toBeGreaterThan(0);
});

test('a component is ready once its program runs: without a pid file, another Fairway would not find it', async () => {
  machine.slow.add('kube-scheduler');
  const supervisor = await started();
  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ running: true, ready: false });

  machine.writePidFile('kube-scheduler');
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(supervisor)).toBe(true);
});

test('a killed component is restarted, and nothing else is touched', async () => {
  const supervisor = await started();

  machine.end('kube-apiserver');
  await clock.advance(500);
  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ running: false, failures: 1 });
  await clock.advance(1500);

  expect(machine.takeEvents()).toEqual(['start kube-apiserver']);
  expect(isAllReady(supervisor)).toBe(true);
});

test('a crash-looping component is restarted with backoff, and its error is reported', async () => {
  machine.broken.set('kube-scheduler', 'I1121 10:00:00 1 a.go:1] hello\nE1121 10:00:00 1 run.go:72] no such flag\n');
  const supervisor = supervise();
  await supervisor.want(desired());
  await clock.advance(120_000);

  const starts = machine.takeEvents().filter((event) => event === 'start kube-scheduler');
  // At 0, 1, 3, 7, 15, 31, 63 seconds.
  expect(starts).toHaveLength(7);
  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ failures: 7, lastFailure: 'no such flag' });

  machine.broken.clear();
  await clock.advance(200_000);

  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ ready: true, failures: 0 });
});

test('a crash-looping component is polled rarely', async () => {
  machine.broken.set('kube-apiserver', 'E1121 10:00:00 1 run.go:72] no\n');
  const supervisor = supervise();
  await supervisor.want(desired());
  await clock.advance(300_000);
  machine.looks = 0;

  await clock.advance(600_000);

  // At intervals of 200 ms it would be 3,000.
  expect(machine.looks).toBeLessThan(400);
  supervisor.detach();
});

test('new settings start without the backoff of the old ones', async () => {
  machine.broken.set('kube-apiserver', 'E1121 10:00:00 1 run.go:72] bad settings\n');
  const supervisor = supervise();
  await supervisor.want(desired());
  await clock.advance(120_000);
  expect(supervisor.state.components['kube-apiserver'].failures).toBeGreaterThan(3);
  machine.broken.clear();

  await supervisor.want(desired({ 'kube-apiserver': 'fixed' }));
  await clock.advance(1000);

  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ ready: true, failures: 0 });
});

test('a new Fairway adopts what a killed one left running', async () => {
  const killed = await started();
  const before = [...machine.running.keys()];
  // The killed one takes no further action.
  void killed;
  clock = new FakeClock(clock.now());

  const supervisor = supervise();
  await supervisor.want(desired());

  expect([...machine.running.keys()]).toEqual(before);
  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(supervisor)).toBe(true);
});

test('a pid file whose process id was reused is ignored', async () => {
  await machine.files.write(`${FOLDER}/run/etcd.pid`, '100 first 7777\n');
  machine.spawn(
    {
      command: '/usr/sbin/cron',
      args: [],
      env: {},
      folder: '/elsewhere',
      logFile: '/elsewhere/log',
      pidFile: '/elsewhere/pid',
      fingerprint: 'x',
      sockets: [],
    },
    () => {},
  );
  machine.takeEvents();

  const supervisor = supervise();
  await supervisor.want(desired());
  await clock.advance(2000);
  await Promise.all([supervisor.stop(), clock.advance(60_000)]);

  expect(machine.events).toContain('start etcd');
  expect([...machine.running.keys()]).toEqual([100]);
});

test('changed settings of the API server restart no other component', async () => {
  const supervisor = await started();

  await supervisor.want(desired({ 'kube-apiserver': 'second' }));
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver', 'start kube-apiserver']);
  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ current: true, failures: 0 });
});

test('a stop is orderly, and resolves when no process is left', async () => {
  const supervisor = await started();

  await Promise.all([supervisor.stop(), clock.advance(2000)]);

  expect(machine.takeEvents()).toEqual([
    'SIGTERM kube-controller-manager',
    'SIGTERM kube-scheduler',
    'SIGTERM kube-apiserver',
    'SIGTERM etcd',
  ]);
  expect(machine.running.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('a component that ignores SIGTERM is killed', async () => {
  const supervisor = await started();
  machine.stubborn.add('etcd');

  const stopped = supervisor.stop();
  await clock.advance(TERMINATION_GRACE_MS + 5000);
  await stopped;

  expect(machine.takeEvents().slice(-2)).toEqual(['SIGTERM etcd', 'SIGKILL etcd']);
});

test('processes of an earlier Fairway are stopped by one that has no desired state for them', async () => {
  await started();
  clock = new FakeClock(clock.now());

  await Promise.all([supervise().stop(), clock.advance(2000)]);

  expect(machine.running.size).toBe(0);
});

test.each([0, 1, 2, 3, 4, 5])(
  'a caller that sets the state again %i turns after a change does not stop the supervisor',
  async (turns) => {
    const supervisor: ControlPlaneSupervisor = new ControlPlaneSupervisor({
      folder: FOLDER,
      host: machine,
      probes: machine,
      files: machine.files,
      clock,
      log: silentLogger,
      onChange: () => void afterMicrotasks(turns).then(() => supervisor.want(desired())),
    });
    await supervisor.want(desired());
    await clock.advance(2000);

    machine.end('etcd');
    await clock.advance(5000);

    expect(isAllReady(supervisor)).toBe(true);
    expect(clock.pendingTimers).toBe(1);
  },
);

async function afterMicrotasks(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

test('a long log is rotated', async () => {
  await started();
  const log = `${FOLDER}/logs/etcd.log`;
  await machine.files.write(log, 'x'.repeat(11 * 1024 * 1024));

  await clock.advance(70_000);

  expect(machine.files.size(log)).toBe(0);
  expect(machine.files.size(`${log}.1`)).toBeGreaterThan(0);
});

test('a released supervisor leaves the processes running, and the next adopts them', async () => {
  const first = await started();
  first.detach();
  await clock.advance(60_000);
  expect(machine.takeEvents()).toEqual([]);

  const second = await started();
  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(second)).toBe(true);
});

test('without permission to act it touches nothing, not even the pid file of an exited process', async () => {
  let isOurs = true;
  const supervisor = supervise();
  await supervisor.want(desired(), () => isOurs);
  await clock.advance(2000);
  machine.takeEvents();
  isOurs = false;
  machine.end('kube-scheduler');
  await clock.advance(60_000);

  expect(machine.takeEvents().filter((event) => event.startsWith('start'))).toEqual([]);
  expect(machine.files.read(`${FOLDER}/run/kube-scheduler.pid`)).toBeDefined();
});

test('a hibernated control plane runs and restarts nothing, and everything starts again when desired', async () => {
  const supervisor = await started();

  const resting = supervisor.hibernate();
  await clock.advance(60_000);
  await resting;
  await clock.advance(60_000);
  const ends = ['kube-controller-manager', 'kube-scheduler', 'kube-apiserver', 'etcd'];
  expect(machine.takeEvents()).toEqual(ends.map((component) => `SIGTERM ${component}`));
  expect(machine.running.size).toBe(0);

  await supervisor.want(desired());
  await clock.advance(2000);
  expect(machine.takeEvents()).toEqual(START);
  expect(isAllReady(supervisor)).toBe(true);
});

test('hibernation stops processes of an earlier Fairway too', async () => {
  await started();
  const later = supervise();

  const resting = later.hibernate();
  await clock.advance(60_000);
  await resting;

  expect(machine.running.size).toBe(0);
});

test('a component above its memory limit is restarted with backoff, and reported', async () => {
  const supervisor = await started();

  machine.memory.set('kube-scheduler', 100 * 2 ** 20);
  await clock.advance(20_000);
  expect(machine.takeEvents()).toEqual([]);

  machine.memory.set('kube-scheduler', 100 * 2 ** 20 + 1);
  await clock.advance(10_000);
  expect(machine.takeEvents().slice(0, 2)).toEqual(['SIGTERM kube-scheduler', 'start kube-scheduler']);
  const { failures, lastFailure } = supervisor.state.components['kube-scheduler'];
  expect(failures).toBeGreaterThan(0);
  expect(lastFailure).toBe('it used 101 MiB of memory; the plan allows 100 MiB');
});

test('a component stopped by a full database starts immediately once that accepts writes again', async () => {
  const supervisor = await started();
  machine.isFull = true;
  machine.broken.set('kube-controller-manager', 'E1121 10:00:00 1 run.go:72] database space exceeded\n');
  machine.end('kube-controller-manager');
  await clock.advance(120_000);
  expect(supervisor.state.isDatabaseFull).toBe(true);
  machine.takeEvents();

  machine.isFull = false;
  machine.broken.clear();
  await clock.advance(10_000);

  expect(machine.takeEvents()).toEqual(['start kube-controller-manager']);
  expect(supervisor.state).toMatchObject({ isDatabaseFull: false });
  expect(isAllReady(supervisor)).toBe(true);
});

test('a database that has grown enough for a change of its quota is reported, once', async () => {
  const supervisor = await started();
  await supervisor.want({ ...desired(), databaseDueBytes: 5000 });
  changes = 0;
  await clock.advance(20_000);
  expect(changes).toBe(0);

  machine.databaseBytes = 5000;
  await clock.advance(10_000);
  expect(changes).toBe(1);

  machine.databaseBytes = 6000;
  await clock.advance(20_000);
  expect(changes).toBe(1);
});
