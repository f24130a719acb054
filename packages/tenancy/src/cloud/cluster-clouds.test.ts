import type { Cluster } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import type { InformerHandler } from '@fairway/kube/client/informer';
import { keyOf } from '@fairway/kube/client/object-key';
import type { Tenure } from '@fairway/kube/controller/key-owner';
import { expect, test } from 'vitest';
import { ClusterClouds } from './cluster-clouds.ts';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * Creates the clusters `names` in namespace `team`, each in its credential's project, and records which projects
 * are watched.
 */
function cloudsOf(names: readonly string[], tenures?: Map<string, Tenure>) {
  const present = new Map(names.map((name) => [`team/${name}`, aCluster({}, { name, namespace: 'team' })]));
  const handlers: InformerHandler<Cluster>[] = [];
  const projects = new Map<string, ProjectCloud>();
  const followed: string[] = [];
  const clouds = new ClusterClouds({
    clouds: {
      forNamespace(_, credential = 'none') {
        const project = projects.get(credential) ?? aProject(credential);
        projects.set(credential, project);
        return project;
      },
      forgetCredential() {},
    },
    clusters: {
      get: (key) => present.get(key),
      addHandler(handler) {
        handlers.push(handler);
        return () => {};
      },
    },
    ...(tenures && { owner: { tenure: (key) => tenures.get(key) } }),
  });
  clouds.onProject(({ name }) => {
    followed.push(name);
    return () => followed.splice(followed.indexOf(name), 1);
  });
  const remove = (name: string) => {
    const cluster = present.get(`team/${name}`);
    present.delete(`team/${name}`);
    if (cluster) for (const handler of handlers) handler.onDelete?.(cluster);
  };
  return { clouds, followed, remove, keys: [...present.values()].map(keyOf) };
}

/** The parts of a project that ClusterClouds uses. */
function aProject(name: string): ProjectCloud {
  const project = { name, during: () => ({ ...project }) };
  return project as unknown as ProjectCloud;
}

test('watches a project once, until its last cluster is deleted', () => {
  const { clouds, followed, remove } = cloudsOf(['a', 'b']);
  clouds.of('team/a', 'mine');
  clouds.of('team/b', 'mine');
  expect(followed).toEqual(['mine']);

  remove('a');
  expect(followed).toEqual(['mine']);
  remove('b');
  expect(followed).toEqual([]);
});

test('still returns the project of a deleted cluster, but does not watch it again', () => {
  const { clouds, followed, remove } = cloudsOf(['a']);
  clouds.of('team/a', 'mine');
  remove('a');

  expect(clouds.of('team/a', 'mine')?.name).toBe('mine');
  expect(followed).toEqual([]);
});

test('moves a cluster to the new project when its credential changes', () => {
  const { clouds, followed } = cloudsOf(['a']);
  clouds.of('team/a', 'mine');
  clouds.of('team/a', 'yours');

  expect(followed).toEqual(['yours']);
});

test("does not watch other processes' clusters, nor its own after a handover", () => {
  const tenures = new Map<string, Tenure>([['team/a', { sinceMs: 0, isInherited: false }]]);
  const { clouds, followed } = cloudsOf(['a', 'b'], tenures);
  clouds.of('team/a', 'mine');
  clouds.of('team/b', 'yours');
  expect(followed).toEqual(['mine']);

  tenures.delete('team/a');
  clouds.release((key) => key === 'team/a');
  clouds.of('team/a', 'mine');
  expect(followed).toEqual([]);
});

test('drops a project’s state when the tenure ends', () => {
  const tenures = new Map<string, Tenure>([['team/a', { sinceMs: 0, isInherited: false }]]);
  const { clouds } = cloudsOf(['a'], tenures);
  const first = clouds.of('team/a', 'mine');
  expect(clouds.of('team/a', 'mine')).toBe(first);

  tenures.set('team/a', { sinceMs: 1, isInherited: true });
  expect(clouds.of('team/a', 'mine')).not.toBe(first);
});
