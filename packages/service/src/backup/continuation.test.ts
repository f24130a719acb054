import { API_VERSION } from '@fairway/api/group';
import { aCluster } from '@fairway/api/testing/objects';
import type { KubeObject } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import type { Archive } from './archive.ts';
import { isContinuation } from './continuation.ts';

function archive(...objects: readonly KubeObject[]): Archive {
  return { contents: { server: 'https://here', paused: false, resourceVersions: {} }, objects };
}

function namespace(uid: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', uid } };
}

function cluster(uid: string, originUID?: string): KubeObject {
  const restoredCluster = aCluster({}, { name: 'demo', namespace: 'team', uid });
  return { ...restoredCluster, apiVersion: API_VERSION, kind: 'Cluster', ...(originUID && { status: { originUID } }) };
}

const stored = archive(namespace('n1'), cluster('c1'));

test.each([
  { current: archive(namespace('n1')), is: true, reason: 'the same Fairway after its last cluster' },
  { current: archive(namespace('n2'), cluster('c2', 'c1')), is: true, reason: 'another Fairway, restored from it' },
  { current: archive(), is: false, reason: 'an empty Fairway on a new machine' },
  { current: archive(namespace('n2'), cluster('c2')), is: false, reason: 'another Fairway with its own clusters' },
])('a Fairway continues a backup: $is for $reason', ({ current, is }) => {
  expect(isContinuation(current, stored)).toBe(is);
});

test('a backup without clusters contains nothing to restore', () => {
  expect(isContinuation(archive(), archive(namespace('n1')))).toBe(true);
});
