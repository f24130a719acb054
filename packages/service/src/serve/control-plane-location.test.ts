import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { TestServer } from '@fairway/apiserver/server/test-server';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Leases } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from '../up/home.ts';
import { claimControlPlanes } from './control-plane-location.ts';

const leaseDefinition = {
  ...Leases,
  hasGeneration: false,
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const,
};

let folder: string;
let client: KubeClient;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-place-'));
  const server = new TestServer({ resources: [leaseDefinition] });
  await server.namespace(SYSTEM_NAMESPACE);
  client = new KubeClient(server.transport);
});
afterEach(() => rmSync(folder, { recursive: true }));

function homeAt(name: string): Home {
  const home = new Home(join(folder, name));
  home.create();
  return home;
}

test('lets replicas with the same home manage its control planes, even after the home is moved', async () => {
  await Promise.all([1, 2, 3].map(() => claimControlPlanes(client, homeAt('a'), 'one')));
  renameSync(join(folder, 'a'), join(folder, 'b'));

  await expect(claimControlPlanes(client, homeAt('b'), 'two')).resolves.toBeUndefined();
});

test('reports to a replica with another home where the control planes run', async () => {
  await claimControlPlanes(client, homeAt('a'), 'one');

  await expect(claimControlPlanes(client, homeAt('b'), 'two')).rejects.toThrow(
    `run in one:${join(folder, 'a')}, not in two:${join(folder, 'b')}`,
  );
});

test('lets control planes run elsewhere after the operator deletes the Lease', async () => {
  await claimControlPlanes(client, homeAt('a'), 'one');
  await client.resource(Leases).delete('fairway-control-planes', { namespace: SYSTEM_NAMESPACE });

  await expect(claimControlPlanes(client, homeAt('b'), 'two')).resolves.toBeUndefined();
});
