import { FakeClock } from '@fairway/base/clock-fake';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClusterPki } from '../pki/cluster-pki.ts';
import type { ControlPlaneSpec } from '../runtime.ts';
import { COMPONENTS } from './components.ts';
import { type PreparationInputs, prepareControlPlane } from './desired-control-plane.ts';
import { ADMISSION_CONFIGURATION, LIMIT_POLICIES } from './folder-layout.ts';
import { MemoryFiles } from './testing/fake-machine.ts';

const FOLDER = '/home/fairway/c-1';
const clock = new FakeClock();
let spec: ControlPlaneSpec;

beforeAll(async () => {
  spec = {
    cluster: { uid: 'c-1', name: 'demo', namespace: 'team' },
    version: '1.36.3',
    pki: await createClusterPki(clock),
    podCIDR: '10.2.0.0/16',
    serviceCIDR: '10.3.0.0/16',
    apiServer: { admissionPlugins: { enabled: ['NodeRestriction'], disabled: [] } },
    topology: { topology: 'SingleZone', replicas: 1 },
    etcdQuotaBytes: 64 * 2 ** 20,
    dnsNames: [],
    ipAddresses: [],
    nodeNetworks: [],
    nodeAddresses: [],
    endpoint: undefined,
  };
});

/** Files of a machine that loses power before the n-th write from now. */
class FailingFiles extends MemoryFiles {
  remainingWrites = Number.POSITIVE_INFINITY;

  override write(path: string, text: string): Promise<void> {
    if (this.remainingWrites-- <= 0) return Promise.reject(new Error('power loss'));
    return super.write(path, text);
  }
}

function prepare(files: MemoryFiles, policyFile: string | undefined) {
  const paths = Object.fromEntries(COMPONENTS.map((name) => [name, `/bin/${name}`]));
  return prepareControlPlane({
    spec,
    binaries: { version: spec.version, paths: paths as PreparationInputs['binaries']['paths'] },
    record: { port: 20_001, encryptionKey: Buffer.alloc(32).toString('base64') },
    policyFile,
    endpoint: { host: '127.0.0.1', port: 20_001 },
    folder: FOLDER,
    files,
    clock,
    env: {},
    user: undefined,
  });
}

const fileOf = (files: MemoryFiles, name: string) => files.read(`${FOLDER}/${name}`);

describe('the policy file of an API server', () => {
  test('is replaced without a restart', async () => {
    const files = new MemoryFiles();
    const before = await prepare(files, 'first');
    const after = await prepare(files, 'second');

    expect(fileOf(files, LIMIT_POLICIES)).toBe('second');
    expect(COMPONENTS.map((name) => after.launches[name]?.fingerprint)).toEqual(
      COMPONENTS.map((name) => before.launches[name]?.fingerprint),
    );
  });

  test('restarts the API server alone when it is first used and when it is no longer used', async () => {
    const files = new MemoryFiles();
    const launches = [];
    for (const policyFile of [undefined, 'policies', undefined])
      launches.push((await prepare(files, policyFile)).launches);
    const [without, used, removed] = launches.map((each) => COMPONENTS.map((name) => each[name]?.fingerprint));
    const changed = COMPONENTS.filter((_, index) => without?.[index] !== used?.[index]);

    expect(changed).toEqual(['kube-apiserver']);
    expect(removed).toEqual(without);
    expect([LIMIT_POLICIES, ADMISSION_CONFIGURATION].map((name) => fileOf(files, name))).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('exists whenever the configuration refers to it, wherever the preparation is interrupted', async () => {
    const files = new FailingFiles();
    await prepare(files, undefined);
    const seen = new Set<string>();
    for (let writes = 0, isDone = false; !isDone; writes++) {
      for (const name of [ADMISSION_CONFIGURATION, LIMIT_POLICIES]) files.remove(`${FOLDER}/${name}`);
      files.remainingWrites = writes;
      isDone = await prepare(files, 'policies').then(
        () => true,
        () => false,
      );
      seen.add(
        [ADMISSION_CONFIGURATION, LIMIT_POLICIES]
          .map((name) => (fileOf(files, name) === undefined ? '-' : name))
          .join(' '),
      );
    }

    expect([...seen]).toEqual(['- -', `- ${LIMIT_POLICIES}`, `${ADMISSION_CONFIGURATION} ${LIMIT_POLICIES}`]);
  });
});
