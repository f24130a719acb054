import { API_VERSION } from '@fairway/api/group';
import { aCluster } from '@fairway/api/testing/objects';
import type { KubeObject } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import type { Archive } from './archive.ts';
import { continues } from './same-fairway.ts';

function archive(...objects: readonly KubeObject[]): Archive {
  return { contents: { server: 'https://here', paused: false, resourceVersions: {} }, objects };
}

function namespace(uid: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', uid } };
}

function cluster(uid: string, originUID?: string): KubeObject {
  const made = aCluster({}, { name: 'demo', namespace: 'team', uid });
  return { ...made, apiVersion: API_VERSION, kind: 'Cluster', ...(originUID && { status: { originUID } }) };
}

const stored = archive(namespace('n1'), cluster('c1'));

test.each([
  { current: archive(namespace('n1')), is: true, reason: 'the same Fairway after its last cluster' },
  { current: archive(namespace('n2'), cluster('c2', 'c1')), is: true, reason: 'another one, restored from it' },
  { current: archive(), is: false, reason: 'an empty one on a new machine' },
  { current: archive(namespace('n2'), cluster('c2')), is: false, reason: 'another one with clusters of its own' },
])('a Fairway continues a backup: $is for $reason', ({ current, is }) => {
  expect(continues(current, stored)).toBe(is);
});

test('a backup without clusters contains nothing to restore', () => {
  expect(continues(archive(), archive(namespace('n1')))).toBe(true);
});
