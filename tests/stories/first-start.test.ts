import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { PROJECT_LABEL } from '@fairway/identity/project-labels';
import { keystoneSettings } from '@fairway/identity/settings';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type KubeConnection, loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { Namespaces, RoleBindings } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { upCommand } from '../session/up-command.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-namespace-'));
  home = new Home(join(folder, 'home'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const keystone = keystoneSettings('simulator-service');

/** Starts Fairway, calls `withConnection` with the contents of the kubeconfig, and stops Fairway. */
async function withRunningFairway(
  options: Partial<Parameters<typeof up>[0]>,
  withConnection: (connection: KubeConnection, client: KubeClient) => Promise<void> = () => Promise.resolve(),
): Promise<string | undefined> {
  const fairway = await up({ ...upCommand(home), ...options });
  const connection = await loadKubeConnection({ path: home.kubeconfig });
  const client = new KubeClient(new HttpsTransport(connection.transport));
  try {
    await withConnection(connection, client);
    return connection.namespace;
  } finally {
    client.close();
    await fairway.stop();
  }
}

test('the first kubeconfig uses the namespace of the simulated cloud’s project, which exists and has its cloud', async () => {
  await withRunningFairway({ keystone }, async ({ namespace = '' }, client) => {
    const { metadata } = await client.resource(Namespaces).get(namespace);
    expect(metadata.labels).toMatchObject({ [PROJECT_LABEL]: namespace });
    const { items } = await client.resource(RoleBindings).list({ namespace });
    expect(new Set(items.map(({ metadata: { name } }) => name))).toEqual(
      new Set(['keystone:fairway-member', 'keystone:fairway-reader']),
    );
    await eventually(
      client.resource(cloudProfiles),
      { namespace },
      ([profile]) => profile?.status?.conditions?.some(({ status }) => status === 'True') === true,
    );
  });
});

test('the API’s CA certificate is next to the kubeconfig, for browsers', async () => {
  await withRunningFairway({}, async ({ transport }) => {
    expect(readFileSync(home.apiAuthority, 'utf8')).toBe(transport.certificateAuthority);
  });
});

test('later starts keep the user’s choice', async () => {
  const first = await withRunningFairway({ keystone });
  expect(await withRunningFairway({ keystone })).toBe(first);

  const written = readFileSync(home.kubeconfig, 'utf8');
  writeFileSync(home.kubeconfig, written.replace(`namespace: ${first}`, 'namespace: team-a'));
  expect(await withRunningFairway({ keystone })).toBe('team-a');
});

test('a home from an earlier release keeps the default namespace', async () => {
  await withRunningFairway({ keystone });
  const written = readFileSync(home.kubeconfig, 'utf8');
  writeFileSync(home.kubeconfig, written.replace(/ +namespace: .*\n/, ''));

  expect(await withRunningFairway({ keystone })).toBeUndefined();
});

test('the kubeconfig uses the default namespace without Keystone users', async () => {
  expect(await withRunningFairway({ keystone: undefined })).toBeUndefined();
});
