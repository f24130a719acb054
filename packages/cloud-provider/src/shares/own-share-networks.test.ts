import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { expect, test } from 'vitest';
import { OwnShareNetworks } from './own-share-networks.ts';

/** Share networks that are visible with an administrator's credentials. */
const NETWORKS: Readonly<Record<string, object>> = {
  own: { project_id: 'p' },
  foreign: { project_id: 'q' },
  untold: {},
};

function cloudWith() {
  const calls: string[] = [];
  const shareNetwork = (id: string) => {
    calls.push(id);
    const found = NETWORKS[id];
    return found ? Promise.resolve({ id, ...found }) : Promise.reject(notFound());
  };
  const client = { session: { projectId: () => Promise.resolve('p') }, sharedFileSystem: { shareNetwork } };
  return { cloud: { client } as unknown as ProjectCloud, calls };
}

function notFound(): OpenStackError {
  const call = { service: 'shared-file-system', method: 'GET', template: '/share-networks/{id}' } as const;
  return new OpenStackError({ ...call, kind: 'notFound', status: 404, message: 'not found', outcome: 'notDone' });
}

const { signal } = new AbortController();

test.each(['foreign', 'missing', 'untold'])('refuses a share network that is %s', async (id) => {
  const problem = await new OwnShareNetworks().networkProblem(cloudWith().cloud, id, signal);

  expect(problem).toMatch(`parameter "shareNetworkID" is "${id}", and the project has no such share network`);
});

test('allows the project’s own network, and looks it up once', async () => {
  const networks = new OwnShareNetworks();
  const { cloud, calls } = cloudWith();

  expect(await networks.networkProblem(cloud, 'own', signal)).toBeUndefined();
  expect(await networks.networkProblem(cloud, 'own', signal)).toBeUndefined();
  expect(calls).toEqual(['own']);
});
