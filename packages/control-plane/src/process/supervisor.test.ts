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
  await supervisor.setDesired(desired());
  await clock.advance(2000);
  machine.takeEvents();
  return supervisor;
}

function isAllReady(supervisor: ControlPlaneSupervisor): boolean {
  return Object.values(supervisor.state.components).every(({ ready, current }) => ready && current);
}

test('starts components in order, each once its dependencies are ready', async () => {
  machine.silent.add('etcd');
  const supervisor = supervise();
  await supervisor.setDesired(desired());
  await clock.advance(5000);
  expect(machine.takeEvents()).toEqual(['start etcd']);

  machine.silent.delete('etcd');
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual(START.slice(1));
  expect(isAllReady(supervisor)).toBe(true);
  expect(supervisor.state.databaseBytes).toBe(4096);
  expect(changes).toBeGreaterThan(0);
});

test('considers a component ready only once its pid file exists, because another Fairway process could not find it otherwise', async () => {
  machine.slow.add('kube-scheduler');
  const supervisor = await started();
  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ running: true, ready: false });

  machine.writePidFile('kube-scheduler');
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(supervisor)).toBe(true);
});

test('restarts a killed component, and no other component', async () => {
  const supervisor = await started();

  machine.end('kube-apiserver');
  await clock.advance(500);
  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ running: false, failures: 1 });
  await clock.advance(1500);

  expect(machine.takeEvents()).toEqual(['start kube-apiserver']);
  expect(isAllReady(supervisor)).toBe(true);
});

test('restarts a crash-looping component with backoff, and reports its error', async () => {
  const stacks = 'goroutine 7 [select]:\nmain.run()\n\t/src/main.go:396 +0x44a\n'.repeat(1000);
  machine.broken.set(
    'kube-scheduler',
    `I1121 10:00:00 1 a.go:1] hello\nF1121 10:00:00 1 run.go:72] no such flag\n${stacks}`,
  );
  const supervisor = supervise();
  await supervisor.setDesired(desired());
  await clock.advance(120_000);

  const starts = machine.takeEvents().filter((event) => event === 'start kube-scheduler');
  // At 0, 1, 3, 7, 15, 31, 63 seconds.
  expect(starts).toHaveLength(7);
  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ failures: 7, lastFailure: 'no such flag' });

  machine.broken.clear();
  await clock.advance(200_000);

  expect(supervisor.state.components['kube-scheduler']).toMatchObject({ ready: true, failures: 0 });
});

test('polls a crash-looping component infrequently', async () => {
  machine.broken.set('kube-apiserver', 'E1121 10:00:00 1 run.go:72] no\n');
  const supervisor = supervise();
  await supervisor.setDesired(desired());
  await clock.advance(300_000);
  machine.reads = 0;

  await clock.advance(600_000);

  // Polling every 200 ms would take 3,000 checks.
  expect(machine.reads).toBeLessThan(400);
  supervisor.detach();
});

test('starts a component with new settings without the backoff of the old ones', async () => {
  machine.broken.set('kube-apiserver', 'E1121 10:00:00 1 run.go:72] bad settings\n');
  const supervisor = supervise();
  await supervisor.setDesired(desired());
  await clock.advance(120_000);
  expect(supervisor.state.components['kube-apiserver'].failures).toBeGreaterThan(3);
  machine.broken.clear();

  await supervisor.setDesired(desired({ 'kube-apiserver': 'fixed' }));
  await clock.advance(1000);

  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ ready: true, failures: 0 });
});

test('adopts processes that a killed Fairway left running', async () => {
  const killed = await started();
  const before = [...machine.running.keys()];
  // The killed Fairway takes no further action.
  void killed;
  clock = new FakeClock(clock.now());

  const supervisor = supervise();
  await supervisor.setDesired(desired());

  expect([...machine.running.keys()]).toEqual(before);
  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(supervisor)).toBe(true);
});

test('ignores a pid file whose process ID was reused', async () => {
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
  await supervisor.setDesired(desired());
  await clock.advance(2000);
  await Promise.all([supervisor.stop(), clock.advance(60_000)]);

  expect(machine.events).toContain('start etcd');
  expect([...machine.running.keys()]).toEqual([100]);
});

test('restarts only the API server if its settings change', async () => {
  const supervisor = await started();

  await supervisor.setDesired(desired({ 'kube-apiserver': 'second' }));
  await clock.advance(2000);

  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver', 'start kube-apiserver']);
  expect(supervisor.state.components['kube-apiserver']).toMatchObject({ current: true, failures: 0 });
});

test('stops components in order, and resolves when no process is left', async () => {
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

test('kills a component that ignores SIGTERM', async () => {
  const supervisor = await started();
  machine.stubborn.add('etcd');

  const stopped = supervisor.stop();
  await clock.advance(TERMINATION_GRACE_MS + 5000);
  await stopped;

  expect(machine.takeEvents().slice(-2)).toEqual(['SIGTERM etcd', 'SIGKILL etcd']);
});

test('stops processes that an earlier Fairway process left running and that have no desired state', async () => {
  await started();
  clock = new FakeClock(clock.now());

  await Promise.all([supervise().stop(), clock.advance(2000)]);

  expect(machine.running.size).toBe(0);
});

test.each([0, 1, 2, 3, 4, 5])(
  'keeps running if a caller sets the state again %i event-loop turns after a change',
  async (turns) => {
    const supervisor: ControlPlaneSupervisor = new ControlPlaneSupervisor({
      folder: FOLDER,
      host: machine,
      probes: machine,
      files: machine.files,
      clock,
      log: silentLogger,
      onChange: () => void afterMicrotasks(turns).then(() => supervisor.setDesired(desired())),
    });
    await supervisor.setDesired(desired());
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

test('rotates a long log', async () => {
  await started();
  const log = `${FOLDER}/logs/etcd.log`;
  await machine.files.write(log, 'x'.repeat(11 * 1024 * 1024));

  await clock.advance(70_000);

  expect(machine.files.size(log)).toBe(0);
  expect(machine.files.size(`${log}.1`)).toBeGreaterThan(0);
});

test('leaves processes running when released, and the next supervisor adopts them', async () => {
  const first = await started();
  first.detach();
  await clock.advance(60_000);
  expect(machine.takeEvents()).toEqual([]);

  const second = await started();
  expect(machine.takeEvents()).toEqual([]);
  expect(isAllReady(second)).toBe(true);
});

test('changes nothing while not permitted to act, not even the pid file of an exited process', async () => {
  let isOwner = true;
  const supervisor = supervise();
  await supervisor.setDesired(desired(), () => isOwner);
  await clock.advance(2000);
  machine.takeEvents();
  isOwner = false;
  machine.end('kube-scheduler');
  await clock.advance(60_000);

  expect(machine.takeEvents().filter((event) => event.startsWith('start'))).toEqual([]);
  expect(machine.files.read(`${FOLDER}/run/kube-scheduler.pid`)).toBeDefined();
});

test('runs no component while hibernated, and starts all components again when desired', async () => {
  const supervisor = await started();

  const hibernation = supervisor.hibernate();
  await clock.advance(60_000);
  await hibernation;
  await clock.advance(60_000);
  const ends = ['kube-controller-manager', 'kube-scheduler', 'kube-apiserver', 'etcd'];
  expect(machine.takeEvents()).toEqual(ends.map((component) => `SIGTERM ${component}`));
  expect(machine.running.size).toBe(0);

  await supervisor.setDesired(desired());
  await clock.advance(2000);
  expect(machine.takeEvents()).toEqual(START);
  expect(isAllReady(supervisor)).toBe(true);
});

test('also stops processes left running by an earlier Fairway process when it hibernates', async () => {
  await started();
  const later = supervise();

  const hibernation = later.hibernate();
  await clock.advance(60_000);
  await hibernation;

  expect(machine.running.size).toBe(0);
});

test('restarts a component above its memory limit with backoff, and reports it', async () => {
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

test('restarts components that stopped because the database was full, once the database accepts writes again', async () => {
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

test('reports once that the database has grown enough for its quota to change', async () => {
  const supervisor = await started();
  await supervisor.setDesired({ ...desired(), databaseDueBytes: 5000 });
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
