import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { expect, test } from 'vitest';
import { OwnShareNetworks } from './own-share-networks.ts';

/** As an administrator's credential sees them. */
const NETWORKS: Readonly<Record<string, object>> = {
  own: { project_id: 'p' },
  foreign: { project_id: 'q' },
  untold: {},
};

function aCloud() {
  const asked: string[] = [];
  const shareNetwork = (id: string) => {
    asked.push(id);
    const found = NETWORKS[id];
    return found ? Promise.resolve({ id, ...found }) : Promise.reject(notFound());
  };
  const client = { session: { projectId: () => Promise.resolve('p') }, sharedFileSystem: { shareNetwork } };
  return { cloud: { client } as unknown as ProjectCloud, asked };
}

function notFound(): OpenStackError {
  const call = { service: 'shared-file-system', method: 'GET', template: '/share-networks/{id}' } as const;
  return new OpenStackError({ ...call, kind: 'notFound', status: 404, message: 'not found', outcome: 'notDone' });
}

const { signal } = new AbortController();

test.each(['foreign', 'missing', 'untold'])('a share network may not be used if it is %s', async (id) => {
  const problem = await new OwnShareNetworks().problemOf(aCloud().cloud, id, signal);

  expect(problem).toMatch(`parameter "shareNetworkID" is "${id}", and the project has no such share network`);
});

test("the project's own may be used, and is looked up once", async () => {
  const networks = new OwnShareNetworks();
  const { cloud, asked } = aCloud();

  expect(await networks.problemOf(cloud, 'own', signal)).toBeUndefined();
  expect(await networks.problemOf(cloud, 'own', signal)).toBeUndefined();
  expect(asked).toEqual(['own']);
});
