import { machines } from '@fairway/api/kinds/machine';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Holdings, holdingsOf } from './main-job/holdings.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { keysOf, messageOf, TenantOnCloud } from './tenant-credentials/tenant-on-cloud.ts';

/** Fairway acts for a tenant only with credentials created by the tenant's own token: its own login has no role in the project. */
describe.each(JOB_TARGETS)('credentials of tenants on $name', (target) => {
  describe.skipIf(target.isMissing)('from the first to the last', () => {
    let tenant: TenantOnCloud;

    beforeAll(async () => {
      tenant = await TenantOnCloud.open(target);
    });

    afterAll(() => tenant?.close());

    const applicationCredential = async () => keysOf(await tenant.applicationCredential('member'));

    it('tells what a credential is good for', async () => {
      const expires = '2099-01-01T00:00:00';
      const made = await tenant.applicationCredential('member', { expiresAt: `${expires}.000000` });
      await tenant.createCredential('mine', keysOf(made));

      await tenant.credentialIs('mine', 'True', 'AsExpected');
      const known = {
        type: 'ApplicationCredential',
        phase: 'Available',
        credentialID: made.id,
        projectID: await tenant.client.session.projectId(),
        roles: expect.arrayContaining(['member']),
        expiresAt: `${expires}Z`,
      };
      const { status } = await tenant.whenCredential('mine', ({ status: now }) => {
        expect(now).toMatchObject(known);
        return true;
      });

      expect(status).toMatchObject(known);
    });

    it('protects it from readers of the database', async () => {
      const stored = await tenant.fairway.readDatabase();

      expect(stored.includes('fairway:enc:v1:')).toBe(true);
      const { namespace } = tenant;
      const { data = {} } = await tenant.fairway.api.resource(Secrets).get('mine', { namespace });
      expect(stored.includes(data['application_credential_secret'] ?? '')).toBe(false);
    });

    it.each<{ reason: string; condition: string; says: RegExp; keys: () => Promise<Record<string, string>> }>([
      {
        reason: 'of another project',
        condition: 'CredentialInvalid',
        says: /is for project .+, but namespace team is in /,
        keys: async () => keysOf(await tenant.applicationCredential('member', { user: tenant.stranger })),
      },
      {
        reason: 'that only reads',
        condition: 'PermissionDenied',
        says: /roles \(reader\) only grant read access/,
        keys: async () => keysOf(await tenant.applicationCredential('reader', { user: tenant.fairway.reader })),
      },
      {
        reason: 'that Keystone does not know',
        condition: 'CredentialInvalid',
        says: /wrong, expired or revoked/,
        keys: async () => ({ application_credential_id: '0'.repeat(32), application_credential_secret: 'guess' }),
      },
      {
        reason: 'without its secret',
        condition: 'CredentialInvalid',
        says: /must have the keys application_credential_id and application_credential_secret, or trust_id/,
        keys: async () => ({ application_credential_id: '0'.repeat(32) }),
      },
    ])('refuses a credential $reason', async ({ condition, says, keys }) => {
      const name = tenant.nextName('bad');
      await tenant.createCredential(name, await keys());

      expect(messageOf(await tenant.credentialIs(name, 'False', condition))).toMatch(says);
    });

    it('runs a cluster in the project of the credential', async () => {
      await tenant.createCluster('job', 'mine');

      const { status } = await tenant.clusterIs('job', 'True', 'AsExpected');

      expect(status?.projectID).toBe(await tenant.client.session.projectId());
      const { namespace } = tenant;
      const { items } = await tenant.fairway.api.resource(machines).list({ namespace });
      const serverID = items[0]?.status?.serverID ?? '';
      expect(await tenant.client.compute.servers.get(serverID)).toMatchObject({ status: 'ACTIVE' });
    });

    it('reports when the credential is revoked, and continues with another', async () => {
      const { status } = await tenant.credentialIs('mine', 'True', 'AsExpected');
      await tenant.client.identity.deleteApplicationCredential(status?.credentialID ?? '');

      const refused = await tenant.clusterIs('job', 'False', 'CredentialInvalid');
      // Both the credential check and the next cloud call detect it, in either order.
      expect(messageOf(refused)).toMatch(/credential.*revoked/i);

      await tenant.replaceSecret('mine', await applicationCredential());
      await tenant.clusterIs('job', 'True', 'AsExpected');
    });

    it('keeps a credential until its last cluster is gone, and leaves nothing else behind', async () => {
      await tenant.deletePausedCluster('job');
      await tenant.deleteCredential('mine');
      await tenant.resumeCluster('job');
      await tenant.credentialGone('mine');

      expect(withoutCredentials(await holdingsOf(tenant.client))).toEqual(withoutCredentials(tenant.before));
    });

    it('acts through a trust, until it is revoked', async () => {
      const trust = await tenant.trust();
      await tenant.createCredential('trusted', { trust_id: trust.id });
      expect((await tenant.credentialIs('trusted', 'True', 'AsExpected')).status).toMatchObject({
        type: 'Trust',
        credentialID: trust.id,
        projectID: await tenant.client.session.projectId(),
      });
      await tenant.createCluster('trusting', 'trusted');
      await tenant.clusterIs('trusting', 'True', 'AsExpected');

      await tenant.client.identity.deleteTrust(trust.id);

      await tenant.clusterIs('trusting', 'False', 'CredentialInvalid');
      await tenant.replaceSecret('trusted', { trust_id: '', ...(await applicationCredential()) });
      await tenant.clusterIs('trusting', 'True', 'AsExpected');
      await tenant.deleteCluster('trusting');
    });

    it('accepts no trust if the operator has not stated the project', async () => {
      const namespace = 'unbound';
      await tenant.fairway.api.resource(Namespaces).create({ metadata: { name: namespace }, spec: {} });
      await tenant.createCredential('found', { trust_id: '0'.repeat(32) }, { namespace });

      const found = await tenant.credentialIs('found', 'False', 'PermissionDenied', namespace);

      expect(messageOf(found)).toMatch(/annotation fairway.dev\/project-id/);
    });
  });
});

function withoutCredentials(holdings: Holdings): Holdings {
  return holdings.filter((line) => !/^(application credential|trust) /.test(line));
}
