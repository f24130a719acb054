import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binaryFolders, chooseBinaries, findBinaries, missingBinariesMessage } from './find-binaries.ts';

const KUBERNETES = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const ALL_BINARIES = ['etcd', ...KUBERNETES];

function find(machine: Readonly<Record<string, { programs: readonly string[]; version?: string }>>) {
  return findBinaries({
    folders: Object.keys(machine),
    isExecutable: (path) => machine[dirname(path)]?.programs.includes(basename(path)) ?? false,
    run: (command) => Promise.resolve(`Kubernetes v${machine[dirname(command)]?.version}\n`),
  });
}

test('searches KUBEBUILDER_ASSETS first, then PATH, then additional directories', () => {
  const env = { XDG_DATA_HOME: '/none', KUBEBUILDER_ASSETS: '/assets', PATH: '/usr/bin:/bin:/usr/bin' };

  expect(binaryFolders(env, ['/testbed'])).toEqual(['/assets', '/usr/bin', '/bin', '/testbed']);
  expect(binaryFolders({ XDG_DATA_HOME: '/none' }, ['/testbed'])).toEqual(['/testbed']);
});

describe('sets of binaries', () => {
  test.each([
    { reason: 'an empty folder', machine: { '/a': { programs: [] } }, versions: [] },
    {
      reason: 'a complete set',
      machine: { '/a': { programs: ALL_BINARIES, version: '1.36.3' } },
      versions: ['1.36.3'],
    },
    {
      reason: 'a set of envtest without kube-controller-manager',
      machine: { '/a': { programs: ['etcd', 'kube-apiserver', 'kubectl'], version: '1.36.3' } },
      versions: [],
    },
    {
      reason: 'sets of Kubernetes binaries from two folders, which are not mixed',
      machine: {
        '/a': { programs: ['etcd', 'kube-apiserver'], version: '1.36.3' },
        '/b': { programs: KUBERNETES, version: '1.35.1' },
      },
      versions: ['1.35.1'],
    },
    {
      reason: 'two versions side by side',
      machine: {
        '/a': { programs: ALL_BINARIES, version: '1.36.3' },
        '/b': { programs: ALL_BINARIES, version: '1.35.1' },
      },
      versions: ['1.36.3', '1.35.1'],
    },
  ])('finds the versions in $reason', async ({ machine, versions }) => {
    expect((await find(machine)).map(({ version }) => version)).toEqual(versions);
  });

  test('uses an etcd from another directory', async () => {
    const [found] = await find({ '/a': { programs: KUBERNETES, version: '1.36.3' }, '/b': { programs: ['etcd'] } });

    expect(found?.paths).toMatchObject({ etcd: '/b/etcd', 'kube-apiserver': '/a/kube-apiserver' });
  });
});

describe('the binaries for a version', () => {
  test.each([
    { wanted: '1.35.1', chosen: '1.35.1', reason: 'exactly that version' },
    { wanted: '1.35.9', chosen: '1.35.10', reason: 'the newest patch, in numerical order' },
    { wanted: '1.34.0', chosen: undefined, reason: 'no other minor version' },
    { wanted: '1.3.5', chosen: undefined, reason: 'no other minor version with the same digits' },
  ])('are chosen for $wanted: $reason', async ({ wanted, chosen }) => {
    const versions = ['1.35.1', '1.35.10', '1.36.3'];
    const found = await find(
      Object.fromEntries(versions.map((version) => [`/${version}`, { programs: ALL_BINARIES, version }] as const)),
    );

    expect(chooseBinaries(found, wanted)?.version).toBe(chosen);
  });

  test('are listed in the message if none match', async () => {
    const found = await find({ '/a': { programs: ALL_BINARIES, version: '1.36.3' } });

    expect(missingBinariesMessage(found, '1.34.2')).toBe(
      'binaries of Kubernetes 1.36.3 are available, but none of 1.34.2: "fairway releases fetch 1.34.2" downloads them',
    );
    expect(missingBinariesMessage([], '1.34.2')).toContain('KUBEBUILDER_ASSETS');
  });
});
