import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { writeBootstrapPolicy } from '@fairway/apiserver/auth/bootstrap-policy/write-policy';
import { createAuth } from '@fairway/apiserver/auth/create-auth';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HOLLOW_RESOURCES } from '@fairway/hollow/control-plane/resources';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApi } from '../backup/testing/test-api.ts';
import { install } from '../install/installer.ts';
import { manifests } from '../install/manifests.ts';
import { EmbeddedManagementError, MissingKindsError, openManagementEngine } from './management-engine.ts';

let server: ApiServer;

const shared = { clock: systemClock, random: Math.random, log: silentLogger };
const as = (username: string, groups: readonly string[]) =>
  new KubeClient(server.transport({ username, groups: [...groups, 'system:authenticated'] }));
const admin = () => as('admin', ['system:masters']);

beforeEach(async () => {
  const issuer = 'https://cluster.test';
  const auth = createAuth({
    reader: () => server.reader,
    clock: systemClock,
    clientCaBundle: () => '',
    issuer,
    serviceAccountKeys: await createServiceAccountKeys(),
  });
  server = new ApiServer({
    ...auth,
    store: new MemoryStore(),
    resources: HOLLOW_RESOURCES,
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.34.2', major: '1', minor: '34' },
  });
  for (const name of ['kube-system', 'kube-public']) {
    await admin().resource(Namespaces).create({ metadata: { name }, spec: {} });
  }
  await writeBootstrapPolicy(admin(), server.reader);
});
afterEach(() => server.close());

async function installed(): Promise<void> {
  const options = { dryRun: false, forceConflicts: false, clock: systemClock };
  await install(admin(), manifests(), { ...options, signal: new AbortController().signal }, () => {});
}

test('rejects a cluster without the kinds, and names them', async () => {
  const opening = openManagementEngine({ client: admin(), ...shared });

  await expect(opening).rejects.toThrow(MissingKindsError);
  await expect(opening).rejects.toThrow(/does not serve clusters, nodepools, .* of fairway\.dev\/v1alpha1/);
});

test('rejects the API of `fairway up`, which runs its own controllers', async () => {
  const up = new TestApi('v1.34.0+fairway-0.2.0');

  await expect(openManagementEngine({ client: up.client, ...shared })).rejects.toThrow(EmbeddedManagementError);
  await up.close();
});

test('reports missing permissions immediately instead of retrying endlessly', async () => {
  await installed();

  await expect(openManagementEngine({ client: as('somebody', []), ...shared })).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('"somebody" cannot list resource'),
  });
});

test('opens with a synced reader', async () => {
  await installed();

  const engine = await openManagementEngine({ client: admin(), ...shared });

  expect(engine.reader.list(plans).map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(['free', 'standard']),
  );
  expect(engine.reader.list(clusters)).toEqual([]);
  await engine.close();
});
