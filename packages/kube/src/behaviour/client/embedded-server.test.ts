import { createX509Authenticator } from '@fairway/apiserver/auth/x509-authenticator';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { admin, testResources, testVersion } from '@fairway/apiserver/server/test-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { freePorts } from '@fairway/base/testing/free-ports';
import { expect, test } from 'vitest';
import { HttpsTransport } from '../../client/https-transport.ts';
import { Informer } from '../../client/informer.ts';
import { KubeClient } from '../../client/kube-client.ts';
import { ConfigMaps, Namespaces } from '../../kinds/resources.ts';
import type { KubeObject } from '../../object/meta.ts';
import { createCertificateAuthority } from '../../pki/certificate-authority.ts';
import { issueCertificate } from '../../pki/issue-certificate.ts';
import { TrustStore } from '../../pki/trust-store.ts';
import { eventually, eventuallyObject } from '../../testing/eventually.ts';

const clock = systemClock;
const validityMs = 3_600_000;

/** An embedded server over mTLS that can be stopped and restarted on its store and port, like a crashing process. */
async function startRestartableServer() {
  const authority = await createCertificateAuthority({ commonName: 'test', clock, validityMs });
  const certificateFor = async (commonName: string, usages: 'client' | 'server') => {
    const names = usages === 'server' ? { ipAddresses: ['127.0.0.1'] } : { organizations: ['system:masters'] };
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
      commonName,
      usages,
      validityMs,
      clock,
      ...names,
    });
    return { certificate: certificatePem, privateKey: privateKeyPem };
  };
  const { certificate: cert, privateKey: key } = await certificateFor('kube-apiserver', 'server');
  const trust = new TrustStore(authority.certificatePem);
  const store = new MemoryStore();
  const start = async () => {
    const authenticators = [createX509Authenticator(() => trust, clock)];
    const server = new ApiServer({ store, resources: testResources, clock, version: testVersion, authenticators });
    const listener = await server.listen({
      host: '127.0.0.1',
      port,
      tls: { cert, key, clientCa: authority.certificatePem },
    });
    return { server, listener };
  };
  const [port = 0] = await freePorts(1);
  let running = await start();
  const identity = await certificateFor('tester', 'client');
  const transport = new HttpsTransport({
    server: running.listener.url,
    certificateAuthority: authority.certificatePem,
    clientCertificate: () => identity,
  });
  return {
    client: new KubeClient(transport),
    /** Writes directly to the store, even while the server is down. */
    direct: () => new KubeClient(running.server.transport(admin)),
    restart: async (whileStopped: (direct: KubeClient) => Promise<void>) => {
      await running.server.close();
      const offline = new ApiServer({ store, resources: testResources, clock, version: testVersion });
      await whileStopped(new KubeClient(offline.transport(admin)));
      await offline.close();
      running = await start();
    },
    close: async () => {
      transport.close();
      await running.server.close();
    },
  };
}

const place = { namespace: 'ns' };

function revisions(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
}

test('client and embedded server interoperate over mTLS', async () => {
  const { client, close } = await startRestartableServer();
  await client.resource(Namespaces).create({ metadata: { name: 'ns' }, spec: {} });
  const maps = client.resource(ConfigMaps);

  const created = await maps.create({ metadata: { name: 'a', ...place }, data: { x: '1' } });
  const changed = await maps.update({ ...created, data: { x: '2' } });
  await expect(maps.update({ ...created, data: { x: '3' } })).rejects.toMatchObject({ reason: 'Conflict', code: 409 });
  await maps.patch('a', { type: 'json', value: [{ op: 'add', path: '/data/y', value: 'z' }] }, place);
  await maps.apply({ metadata: { name: 'b', ...place }, data: { k: 'v' } }, { fieldManager: 'tester' });

  expect(changed.data).toEqual({ x: '2' });
  expect((await maps.get('a', place)).data).toEqual({ x: '2', y: 'z' });
  expect((await maps.list({ limit: 1 })).metadata.continue).toBeDefined();
  expect((await client.metadata(ConfigMaps).list()).items[0]).not.toHaveProperty('data');
  await expect(maps.get('c', place)).rejects.toMatchObject({ reason: 'NotFound', subject: { name: 'c' } });
  expect((await client.version()).gitVersion).toBe(testVersion.gitVersion);
  const { resources } = await client.resources();
  expect(resources.find(({ plural }) => plural === 'pools')).toMatchObject({ group: 'example.com', namespaced: true });
  await maps.delete('a', { ...place, uid: created.metadata.uid ?? '' });
  await maps.deleteCollection(place);
  expect((await maps.list()).items).toEqual([]);
  await close();
});

test('an informer survives server restarts without missing a change', async () => {
  const { client, direct, restart, close } = await startRestartableServer();
  await direct()
    .resource(Namespaces)
    .create({ metadata: { name: 'ns' }, spec: {} });
  const informer = new Informer(client.resource(ConfigMaps), { random: () => 0.02 });
  const seen: string[] = [];
  informer.addHandler({
    onAdd: ({ metadata }) => seen.push(`add ${metadata.name}`),
    onDelete: ({ metadata }) => seen.push(`delete ${metadata.name}`),
  });
  const stop = new AbortController();
  informer.start(stop.signal);
  await informer.whenSynced();
  const create = (kube: KubeClient, name: string) => kube.resource(ConfigMaps).create({ metadata: { name, ...place } });
  const [goesAdded, lastAdded] = ['goes', 'last'].map(
    (name) =>
      new Promise<void>((resolve) => {
        informer.addHandler({ onAdd: ({ metadata }) => metadata.name === name && resolve() });
      }),
  );

  await create(direct(), 'stays');
  await create(direct(), 'goes');
  await goesAdded;
  for (let round = 0; round < 3; round++) {
    await restart(async (offline) => {
      await create(offline, `while-down-${round}`);
      if (round === 1) await offline.resource(ConfigMaps).delete('goes', place);
    });
    await create(direct(), `after-${round}`);
    await eventuallyObject(client.resource(ConfigMaps), { ...place, name: `after-${round}` });
  }
  await create(direct(), 'last');
  await lastAdded;

  const { items } = await client.resource(ConfigMaps).list();
  expect(revisions(informer.list())).toEqual(revisions(items));
  expect(seen.filter((line) => line.endsWith(' goes'))).toEqual(['add goes', 'delete goes']);
  expect(seen.filter((line) => line.startsWith('add'))).toHaveLength(items.length + 1);
  stop.abort();
  await informer.stopped;
  await close();
});

test('eventually observes changes made by other clients over the network', async () => {
  const { client, direct, close } = await startRestartableServer();
  await direct()
    .resource(Namespaces)
    .create({ metadata: { name: 'ns' }, spec: {} });
  const twoMaps = eventually(client.resource(ConfigMaps), place, (maps) => maps.length === 2);
  for (const name of ['a', 'b'])
    await direct()
      .resource(ConfigMaps)
      .create({ metadata: { name, ...place } });

  expect(revisions(await twoMaps)).toHaveLength(2);
  await close();
});
