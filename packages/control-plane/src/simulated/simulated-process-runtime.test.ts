import { FakeClock } from '@fairway/base/clock-fake';
import { runUnderGrant } from '@fairway/base/fence';
import { silentLogger } from '@fairway/base/log';
import { beforeEach, expect, test, vi } from 'vitest';
import { createClusterPki } from '../pki/cluster-pki.ts';
import { FakeMachine } from '../process/testing/fake-machine.ts';
import type { ControlPlaneSpec, ControlPlaneState } from '../runtime.ts';
import { SimulatedProcessRuntime, SPEC_FILE } from './simulated-process-runtime.ts';
import { parseSpecFile } from './spec-file.ts';

const pki = await createClusterPki(new FakeClock());
const spec: ControlPlaneSpec = {
  cluster: { uid: 'uid-1', name: 'demo', namespace: 'team' },
  version: '1.35.8',
  pki,
  podCIDR: '10.2.0.0/16',
  serviceCIDR: '10.3.0.0/16',
  apiServer: { admissionPlugins: { enabled: [], disabled: [] } },
  topology: { topology: 'SingleZone', replicas: 1 },
  etcdQuotaBytes: 10 * 2 ** 20,
  dnsNames: [],
  ipAddresses: [],
  nodeNetworks: [],
  nodeAddresses: [],
  endpoint: undefined,
};

let machine: FakeMachine;
let clock: FakeClock;
beforeEach(() => {
  machine = new FakeMachine();
  clock = new FakeClock();
});

/** The runtime of one replica; replicas share the machine. */
function replica(): SimulatedProcessRuntime {
  return new SimulatedProcessRuntime({
    folder: '/home/planes',
    address: '127.0.0.1',
    program: { command: '/bin/kube-apiserver', args: ['program'] },
    host: machine,
    probes: machine,
    files: machine.files,
    isPortFree: () => Promise.resolve(true),
    env: {},
    clock,
    random: () => 0.5,
    log: silentLogger,
  });
}

async function settled(runtime: SimulatedProcessRuntime, desired = spec): Promise<ControlPlaneState> {
  await runtime.ensure(desired);
  await clock.advance(2_000);
  return runtime.ensure(desired);
}

test('runs the whole control plane as one program, configured by a file', async () => {
  const state = await settled(replica());

  expect(state).toMatchObject({ phase: 'Running', ready: true, version: '1.35.8', endpoint: { host: '127.0.0.1' } });
  expect(machine.takeEvents()).toEqual(['start kube-apiserver']);
  const file = await parseSpecFile(machine.files.read(`/home/planes/uid-1/${SPEC_FILE}`) ?? '');
  expect(file.spec).toMatchObject({ cluster: spec.cluster, endpoint: state.endpoint });
  expect(file.spec.pki.cluster.active.certificatePem).toBe(pki.cluster.active.certificatePem);
});

test('leaves the program running when a replica releases it, and the next replica adopts it', async () => {
  const first = replica();
  const before = await settled(first);
  machine.takeEvents();
  await first.release('uid-1');
  machine.end('kube-apiserver');
  await clock.advance(60_000);
  expect(machine.takeEvents(), 'the first one looks after it no more').toEqual([]);

  const second = replica();
  const after = await settled(second);
  expect(after).toMatchObject({ phase: 'Running', endpoint: before.endpoint });
  expect(machine.takeEvents()).toEqual(['start kube-apiserver']);
  await second.close();
  const third = replica();
  expect(await settled(third)).toMatchObject({ phase: 'Running' });
  expect(machine.takeEvents()).toEqual([]);
});

test('does not start, stop or write anything without permission to act', async () => {
  const runtime = replica();
  const grant = { subject: 'team/demo', isValid: () => false };
  await runUnderGrant(grant, () => runtime.ensure(spec));
  await clock.advance(10_000);
  expect(machine.takeEvents()).toEqual([]);
  expect(machine.files.read(`/home/planes/uid-1/${SPEC_FILE}`)).toBeUndefined();

  await settled(replica());
  machine.takeEvents();
  await runUnderGrant(grant, () => runtime.remove('uid-1'));
  await clock.advance(60_000);
  expect(machine.takeEvents()).toEqual([]);
});

test('restarts a cluster that requests audit events, and writes the log to the cluster’s directory', async () => {
  const runtime = replica();
  expect(await runtime.auditLog('uid-1')).toBeUndefined();
  await settled(runtime);
  machine.takeEvents();
  await settled(runtime, { ...spec, apiServer: { ...spec.apiServer, audit: { level: 'Request', reads: true } } });

  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver', 'start kube-apiserver']);
  const file = await parseSpecFile(machine.files.read(`/home/planes/uid-1/${SPEC_FILE}`) ?? '');
  expect(file.spec.apiServer.audit).toEqual({ level: 'Request', reads: true });
  const place = { folder: '/home/planes/uid-1/logs', file: 'tenant-audit.log', owners: [process.geteuid?.()] };
  expect(await runtime.auditLog('uid-1')).toEqual(place);
  expect(await replica().auditLog('uid-1'), 'for another replica of the home, too').toEqual(place);
});

test('restarts with a new version on the same port', async () => {
  const runtime = replica();
  const before = await settled(runtime);
  machine.takeEvents();
  const after = await settled(runtime, { ...spec, version: '1.36.3' });

  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver', 'start kube-apiserver']);
  expect(after).toMatchObject({ phase: 'Running', version: '1.36.3', endpoint: before.endpoint });
});

test('keeps directory and port but no program while hibernated, and starts with the next call to ensure', async () => {
  const runtime = replica();
  const before = await settled(runtime);
  machine.takeEvents();

  expect(await runtime.hibernate('uid-1')).toBe(false);
  await clock.advance(2_000);
  expect(await runtime.hibernate('uid-1')).toBe(true);
  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver']);
  await clock.advance(600_000);
  expect(machine.takeEvents(), 'it stays at rest').toEqual([]);
  expect(runtime.usage()).toMatchObject({ managed: 0, running: 0 });

  const after = await settled(runtime);
  expect(after).toMatchObject({ phase: 'Running', endpoint: before.endpoint });
  expect(machine.takeEvents()).toEqual(['start kube-apiserver']);
});

test('hibernates programs left running by a killed process', async () => {
  const first = replica();
  await settled(first);
  await first.close();
  machine.takeEvents();

  const second = replica();
  expect(await second.hibernate('uid-1')).toBe(false);
  await clock.advance(2_000);
  expect(await second.hibernate('uid-1')).toBe(true);
  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver']);
});

test('treats a control plane that never ran as hibernated, and removes a hibernated one', async () => {
  const runtime = replica();
  expect(await runtime.hibernate('uid-2')).toBe(true);
  await settled(runtime);
  await runtime.hibernate('uid-1');
  await clock.advance(2_000);

  expect(await runtime.remove('uid-1')).toBe(false);
  await clock.advance(2_000);
  expect(await runtime.remove('uid-1')).toBe(true);
  expect(machine.files.folders('/home/planes')).toEqual([]);
});

test('does not hibernate clusters without permission to act', async () => {
  await settled(replica());
  machine.takeEvents();
  await runUnderGrant({ subject: 'team/demo', isValid: () => false }, () => replica().hibernate('uid-1'));
  await clock.advance(60_000);

  expect(machine.takeEvents()).toEqual([]);
});

test('leaves no program or directory of a removed cluster behind', async () => {
  const runtime = replica();
  await settled(runtime);
  expect(await runtime.remove('uid-1')).toBe(false);
  await clock.advance(2_000);

  expect(await runtime.remove('uid-1')).toBe(true);
  expect(machine.running.size).toBe(0);
  expect(machine.files.folders('/home/planes')).toEqual([]);
});

test('wipes a cluster, which starts again at its endpoint without earlier data', async () => {
  const runtime = replica();
  const before = await settled(runtime);
  const path = (name: string) => `/home/planes/uid-1/${name}`;
  for (const name of ['etcd/member/snap/db', 'pki/ca.key', 'logs/audit.log'])
    await machine.files.write(path(name), 'x');
  const record = JSON.parse(machine.files.read(path('record.json')) ?? '') as Record<string, unknown>;
  machine.takeEvents();

  expect(await runtime.wipe('uid-1')).toBe(false);
  await clock.advance(10_000);
  expect(await runtime.wipe('uid-1')).toBe(true);
  expect(machine.takeEvents()).toEqual(['SIGTERM kube-apiserver']);
  expect([...machine.files.texts.keys()]).toEqual([path('record.json')]);
  const { address, port, encryptionKey } = record;
  expect(JSON.parse(machine.files.read(path('record.json')) ?? '')).toEqual({ address, port, encryptionKey });

  const after = await settled(runtime);
  expect(after).toMatchObject({ phase: 'Running', endpoint: before.endpoint });
});

test('wipes a cluster in the next process after a crash, but not in a process that has lost ownership of it', async () => {
  await settled(replica());
  await machine.files.write('/home/planes/uid-1/etcd/member/snap/db', 'x');

  const lostReplica = replica();
  await runUnderGrant({ subject: 'team/demo', isValid: () => false }, () => lostReplica.wipe('uid-1'));
  await clock.advance(10_000);
  expect(machine.files.read('/home/planes/uid-1/etcd/member/snap/db')).toBe('x');

  const next = replica();
  expect(await next.wipe('uid-1')).toBe(false);
  await clock.advance(10_000);
  expect(await next.wipe('uid-1')).toBe(true);
  expect(machine.files.read('/home/planes/uid-1/etcd/member/snap/db')).toBeUndefined();
  expect(await next.wipe('uid-2'), 'one that never was').toBe(true);
});

test('reports why a cluster could not be wiped, and retries with the next call', async () => {
  const runtime = replica();
  await settled(runtime);
  const data = '/home/planes/uid-1/etcd/member/snap/db';
  await machine.files.write(data, 'x');
  const broken = vi.spyOn(machine.files, 'emptyFolder').mockRejectedValue(new Error('EIO: its disk fails'));
  expect(await runtime.wipe('uid-1')).toBe(false);
  await clock.advance(10_000);

  for (let attempts = 2; attempts < 5; attempts++) {
    await expect(runtime.wipe('uid-1')).rejects.toThrow('EIO: its disk fails');
    expect(broken).toHaveBeenCalledTimes(attempts);
  }
  broken.mockRestore();
  expect(await runtime.wipe('uid-1')).toBe(true);
  expect(machine.files.read(data)).toBeUndefined();
});
