import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyGone, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FairwayOnCloud, startFairwayOn } from './main-job/fairway-on-cloud.ts';
import { type Holdings, holdingsOf } from './main-job/holdings.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';

const execute = promisify(execFile);
const namespace = 'team';
/** A credential is looked at once a minute, one that was refused twice. */
const patience = { deadlineMs: 150_000 };

/** Fairway acts for a tenant with what the tenant's own token made, and with nothing else: its own login has no part in the project. */
describe.each(JOB_TARGETS)('credentials of tenants on $name', (target) => {
  describe.skipIf(target.isMissing)('from the first to the last', () => {
    let cloud: JobCloud;
    let fairway: FairwayOnCloud;
    let before: Holdings;
    let names = 0;
    const cleanups: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      cloud = await target.open();
      // Fairway's own login is a stranger in the tenant's project.
      fairway = await startFairwayOn({ ...cloud, member: cloud.other, other: cloud.member });
      before = await holdingsOf(tenant());
      const annotations = { 'fairway.dev/project-id': await tenant().session.projectId() };
      await fairway.api.resource(Namespaces).create({ metadata: { name: namespace, annotations }, spec: {} });
    });

    afterAll(async () => {
      await fairway?.api.resource(clusters).deleteCollection({ namespace });
      if (fairway) await eventually(fairway.api.resource(clusters), { namespace }, (all) => all.length === 0, patience);
      for (const cleanup of cleanups.reverse()) await cleanup().catch(() => undefined);
      await fairway?.close();
      await cloud?.close();
    });

    /** The tenant, who has swapped places with the other project. */
    const tenant = () => fairway.other;
    const stranger = () => fairway.member;

    async function applicationCredential(user: OpenStackClient, role: string, expiresAt?: string) {
      names += 1;
      const made = await user.identity.createApplicationCredential({
        name: `fairway-test-${process.pid}-${names}`,
        roles: [{ name: role }],
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      });
      cleanups.push(() => user.identity.deleteApplicationCredential(made.id));
      return made;
    }

    const keysOf = ({ id, secret }: { id: string; secret: string }) => ({
      application_credential_id: id,
      application_credential_secret: secret,
    });

    async function createCredential(name: string, stringData: Record<string, string>, entry = cloud.other) {
      await fairway.api.resource(Secrets).create({ metadata: { name, namespace }, stringData });
      const credential: CloudCredential = {
        metadata: { name, namespace },
        spec: { cloud: entry, secretRef: { name } },
      };
      await fairway.api.resource(cloudCredentials).create(credential);
    }

    const replaceSecret = (name: string, stringData: Record<string, string>) =>
      fairway.api.resource(Secrets).patch(name, { type: 'merge', value: { stringData } }, { namespace });

    const credentialIs = (name: string, status: 'True' | 'False', reason: string) =>
      eventuallyObject(
        fairway.api.resource(cloudCredentials),
        { namespace, name },
        (credential) => {
          expect(findCondition(credential.status?.conditions, 'Ready')).toMatchObject({ status, reason });
        },
        patience,
      );

    const messageOf = ({ status }: CloudCredential | Cluster) =>
      findCondition(status?.conditions, 'Ready')?.message ?? '';

    async function createCluster(name: string, credentialName: string) {
      const cluster: NewCluster = { metadata: { name, namespace }, spec: { credentialName } };
      const pool: NewNodePool = { metadata: { name, namespace }, spec: { clusterName: name, flavor: cloud.flavor } };
      await fairway.api.resource(clusters).create(cluster as Cluster);
      await fairway.api.resource(nodePools).create(pool as NodePool);
    }

    const clusterIs = (name: string, status: 'True' | 'False', reason: string) =>
      eventuallyObject(
        fairway.api.resource(clusters),
        { namespace, name },
        (cluster) => {
          expect(findCondition(cluster.status?.conditions, 'Ready')).toMatchObject({ status, reason });
        },
        patience,
      );

    async function deleteCluster(name: string) {
      await fairway.api.resource(clusters).delete(name, { namespace });
      await eventuallyGone(fairway.api.resource(clusters), { namespace, name }, patience);
    }

    it('tells what a credential is good for', async () => {
      const expires = '2099-01-01T00:00:00';
      const made = await applicationCredential(tenant(), 'member', `${expires}.000000`);
      await createCredential('mine', keysOf(made));

      const { status } = await credentialIs('mine', 'True', 'AsExpected');

      expect(status).toMatchObject({
        type: 'ApplicationCredential',
        credentialID: made.id,
        projectID: await tenant().session.projectId(),
        roles: expect.arrayContaining(['member']),
        expiresAt: `${expires}Z`,
      });
    });

    it('keeps it out of the reach of whoever reads the database', async () => {
      const stored = await fairway.readDatabase();

      expect(stored.includes('fairway:enc:v1:')).toBe(true);
      const { data = {} } = await fairway.api.resource(Secrets).get('mine', { namespace });
      expect(stored.includes(data['application_credential_secret'] ?? '')).toBe(false);
    });

    it.each<{ reason: string; condition: string; says: RegExp; keys: () => Promise<Record<string, string>> }>([
      {
        reason: 'of another project',
        condition: 'CredentialInvalid',
        says: /is for project .+, and namespace team is in /,
        keys: async () => keysOf(await applicationCredential(stranger(), 'member')),
      },
      {
        reason: 'that only reads',
        condition: 'PermissionDenied',
        says: /roles \(reader\) only let it read/,
        keys: async () => keysOf(await applicationCredential(fairway.reader, 'reader')),
      },
      {
        reason: 'that Keystone does not know',
        condition: 'CredentialInvalid',
        says: /wrong, expired or revoked/,
        keys: async () => keysOf({ id: '0'.repeat(32), secret: 'guess' }),
      },
      {
        reason: 'without its secret',
        condition: 'CredentialInvalid',
        says: /needs the keys application_credential_id and application_credential_secret, or trust_id/,
        keys: async () => ({ application_credential_id: '0'.repeat(32) }),
      },
    ])('refuses a credential $reason', async ({ condition, says, keys }) => {
      names += 1;
      const name = `bad-${names}`;
      await createCredential(name, await keys());

      expect(messageOf(await credentialIs(name, 'False', condition))).toMatch(says);
    });

    it('runs a cluster in the project of the credential', async () => {
      await createCluster('job', 'mine');

      const { status } = await clusterIs('job', 'True', 'AsExpected');

      expect(status?.projectID).toBe(await tenant().session.projectId());
      const { items } = await fairway.api.resource(machines).list({ namespace });
      const serverID = items[0]?.status?.serverID ?? '';
      expect(await tenant().compute.servers.get(serverID)).toMatchObject({ status: 'ACTIVE' });
    });

    it('says so when the credential is revoked, and goes on with another', async () => {
      const { status } = await credentialIs('mine', 'True', 'AsExpected');
      await tenant().identity.deleteApplicationCredential(status?.credentialID ?? '');

      const refused = await clusterIs('job', 'False', 'CredentialInvalid');
      // The look at the credential and the next call to the cloud both find out; who is first depends on the minute.
      expect(messageOf(refused)).toMatch(/credential.*wrong, expired or revoked/i);

      await replaceSecret('mine', keysOf(await applicationCredential(tenant(), 'member')));
      await clusterIs('job', 'True', 'AsExpected');
    });

    it('keeps a credential until its last cluster is gone, and leaves nothing else behind', async () => {
      await fairway.api.resource(cloudCredentials).delete('mine', { namespace });
      await deleteCluster('job');
      await eventuallyGone(fairway.api.resource(cloudCredentials), { namespace, name: 'mine' }, patience);

      expect(withoutCredentials(await holdingsOf(tenant()))).toEqual(withoutCredentials(before));
    });

    it('acts through a trust, until it is revoked', async () => {
      const { token } = await stranger().session.token();
      const trust = await tenant().identity.createTrust({
        trustee_user_id: token.user.id,
        project_id: await tenant().session.projectId(),
        impersonation: true,
        roles: [{ name: 'member' }],
      });
      cleanups.push(() => tenant().identity.deleteTrust(trust.id));
      await createCredential('trusted', { trust_id: trust.id });
      expect((await credentialIs('trusted', 'True', 'AsExpected')).status).toMatchObject({
        type: 'Trust',
        credentialID: trust.id,
        projectID: await tenant().session.projectId(),
      });
      await createCluster('trusting', 'trusted');
      await clusterIs('trusting', 'True', 'AsExpected');

      await tenant().identity.deleteTrust(trust.id);

      await clusterIs('trusting', 'False', 'CredentialInvalid');
      await replaceSecret('trusted', { trust_id: '', ...keysOf(await applicationCredential(tenant(), 'member')) });
      await clusterIs('trusting', 'True', 'AsExpected');
      await deleteCluster('trusting');
    });

    it('is made and revoked by the command line, with the login of the tenant', async () => {
      const run = async (...words: readonly string[]) => {
        const cli = fileURLToPath(new URL('../packages/cli/bin/fairway.js', import.meta.url));
        const env = { ...process.env, KUBECONFIG: fairway.kubeconfig, OS_CLIENT_CONFIG_FILE: fairway.cloudsYaml };
        const { stdout } = await execute(process.execPath, [cli, '-n', namespace, 'credential', ...words], { env });
        return stdout;
      };
      const mine = async () => (await tenant().identity.applicationCredentials()).map(({ name }) => name);

      const login = ['--cloud', cloud.member];
      expect(await run('create', 'typed', ...login, '--fairway-cloud', cloud.other, '--expires', '1h')).toMatch(
        /created/,
      );
      expect(await mine()).toContain(`fairway-${namespace}-typed`);
      expect(await run('list')).toMatch(/typed +\S+ +ApplicationCredential +\S+ +True/);

      expect(await run('delete', 'typed', ...login)).toMatch(/deleted/);
      expect(await mine()).not.toContain(`fairway-${namespace}-typed`);
      const name = 'typed-cloud-credential';
      await eventuallyGone(fairway.api.resource(Secrets), { namespace, name }, patience);
    });

    it('takes no trust where the operator has not stated the project', async () => {
      const unbound = 'unbound';
      await fairway.api.resource(Namespaces).create({ metadata: { name: unbound }, spec: {} });
      await fairway.api.resource(Secrets).create({
        metadata: { name: 'found', namespace: unbound },
        stringData: { trust_id: '0'.repeat(32) },
      });
      await fairway.api.resource(cloudCredentials).create({
        metadata: { name: 'found', namespace: unbound },
        spec: { cloud: cloud.other, secretRef: { name: 'found' } },
      });

      const found = await eventuallyObject(
        fairway.api.resource(cloudCredentials),
        { namespace: unbound, name: 'found' },
        ({ status }) => findCondition(status?.conditions, 'Ready')?.reason === 'PermissionDenied',
        patience,
      );

      expect(messageOf(found)).toMatch(/annotation fairway.dev\/project-id/);
    });

    function withoutCredentials(holdings: Holdings): Holdings {
      return holdings.filter((line) => !/^(application credential|trust) /.test(line));
    }
  });
});
