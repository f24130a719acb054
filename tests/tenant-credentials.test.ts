import { machines } from '@fairway/api/kinds/machine';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { type ResourceIds, resourceIds } from './main-job/resource-ids.ts';
import { keysOf, messageOf, TenantOnCloud } from './tenant-credentials/tenant-on-cloud.ts';

/**
 * Fairway acts for a tenant only with credentials that the tenant's own token created: its own login has no role in the
 * project.
 */
describe.each(JOB_TARGETS)('tenant credentials on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a credential', () => {
    let tenant: TenantOnCloud;

    beforeAll(async () => {
      tenant = await TenantOnCloud.open(target);
    });

    afterAll(() => tenant?.close());

    const applicationCredential = async () => keysOf(await tenant.applicationCredential('member'));

    it('reports what a credential can be used for', async () => {
      const expires = '2099-01-01T00:00:00';
      const created = await tenant.applicationCredential('member', { expiresAt: `${expires}.000000` });
      await tenant.createCredential('mine', keysOf(created));

      await tenant.waitForCredentialCondition('mine', 'True', 'AsExpected');
      const known = {
        type: 'ApplicationCredential',
        phase: 'Available',
        credentialID: created.id,
        projectID: await tenant.client.session.projectId(),
        roles: expect.arrayContaining(['member']),
        expiresAt: `${expires}Z`,
      };
      const { status } = await tenant.waitForCredential('mine', ({ status: now }) => {
        expect(now).toMatchObject(known);
        return true;
      });

      expect(status).toMatchObject(known);
    });

    it('protects a credential from anyone who reads the database', async () => {
      const stored = await tenant.fairway.readDatabase();

      expect(stored.includes('fairway:enc:v1:')).toBe(true);
      const { namespace } = tenant;
      const { data = {} } = await tenant.fairway.api.resource(Secrets).get('mine', { namespace });
      expect(stored.includes(data['application_credential_secret'] ?? '')).toBe(false);
    });

    it.each<{
      reason: string;
      condition: string;
      expectedMessage: RegExp;
      keys: () => Promise<Record<string, string>>;
    }>([
      {
        reason: 'a credential of another project',
        condition: 'CredentialInvalid',
        expectedMessage: /is for project .+, but namespace team is in /,
        keys: async () => keysOf(await tenant.applicationCredential('member', { user: tenant.fairwayClient })),
      },
      {
        reason: 'a credential with only read access',
        condition: 'PermissionDenied',
        expectedMessage: /roles \(reader\) only grant read access/,
        keys: async () => keysOf(await tenant.applicationCredential('reader', { user: tenant.fairway.reader })),
      },
      {
        reason: 'a credential that Keystone does not have',
        condition: 'CredentialInvalid',
        expectedMessage: /wrong, expired or revoked/,
        keys: async () => ({ application_credential_id: '0'.repeat(32), application_credential_secret: 'guess' }),
      },
      {
        reason: 'a credential without its secret',
        condition: 'CredentialInvalid',
        expectedMessage: /must have the keys application_credential_id and application_credential_secret, or trust_id/,
        keys: async () => ({ application_credential_id: '0'.repeat(32) }),
      },
    ])('refuses $reason', async ({ condition, expectedMessage, keys }) => {
      const name = tenant.nextName('bad');
      await tenant.createCredential(name, await keys());

      expect(messageOf(await tenant.waitForCredentialCondition(name, 'False', condition))).toMatch(expectedMessage);
    });

    it('runs a cluster in the credential’s project', async () => {
      await tenant.createCluster('job', 'mine');

      const { status } = await tenant.waitForClusterCondition('job', 'True', 'AsExpected');

      expect(status?.projectID).toBe(await tenant.client.session.projectId());
      const { namespace } = tenant;
      const { items } = await tenant.fairway.api.resource(machines).list({ namespace });
      const serverID = items[0]?.status?.serverID ?? '';
      expect(await tenant.client.compute.servers.get(serverID)).toMatchObject({ status: 'ACTIVE' });
    });

    it('reports when the credential is revoked, and continues with another', async () => {
      const { status } = await tenant.waitForCredentialCondition('mine', 'True', 'AsExpected');
      await tenant.client.identity.deleteApplicationCredential(status?.credentialID ?? '');

      const refused = await tenant.waitForClusterCondition('job', 'False', 'CredentialInvalid');
      // Both the credential check and the next cloud call detect it, in either order.
      expect(messageOf(refused)).toMatch(/credential.*revoked/i);

      await tenant.replaceSecret('mine', await applicationCredential());
      await tenant.waitForClusterCondition('job', 'True', 'AsExpected');
    });

    it('keeps a credential until its last cluster is deleted, and leaves nothing else behind', async () => {
      await tenant.deletePausedCluster('job');
      await tenant.deleteCredential('mine');
      await tenant.resumeCluster('job');
      await tenant.waitForCredentialDeletion('mine');

      expect(withoutCredentials(await resourceIds(tenant.client))).toEqual(withoutCredentials(tenant.before));
    });

    it('acts through a trust until it is revoked', async () => {
      const trust = await tenant.trust();
      await tenant.createCredential('trusted', { trust_id: trust.id });
      expect((await tenant.waitForCredentialCondition('trusted', 'True', 'AsExpected')).status).toMatchObject({
        type: 'Trust',
        credentialID: trust.id,
        projectID: await tenant.client.session.projectId(),
      });
      await tenant.createCluster('trusting', 'trusted');
      await tenant.waitForClusterCondition('trusting', 'True', 'AsExpected');

      await tenant.client.identity.deleteTrust(trust.id);

      await tenant.waitForClusterCondition('trusting', 'False', 'CredentialInvalid');
      await tenant.replaceSecret('trusted', { trust_id: '', ...(await applicationCredential()) });
      await tenant.waitForClusterCondition('trusting', 'True', 'AsExpected');
      await tenant.deleteCluster('trusting');
    });

    it('refuses a trust if the operator has not specified the project', async () => {
      const namespace = 'unbound';
      await tenant.fairway.api.resource(Namespaces).create({ metadata: { name: namespace }, spec: {} });
      await tenant.createCredential('found', { trust_id: '0'.repeat(32) }, { namespace });

      const found = await tenant.waitForCredentialCondition('found', 'False', 'PermissionDenied', namespace);

      expect(messageOf(found)).toMatch(/annotation fairway.dev\/project-id/);
    });
  });
});

function withoutCredentials(contents: ResourceIds): ResourceIds {
  return contents.filter((line) => !/^(application credential|trust) /.test(line));
}
