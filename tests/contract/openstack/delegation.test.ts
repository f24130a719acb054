import type { Credential } from '@fairway/openstack/auth/credential';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Trust } from '@fairway/openstack/types/identity';
import { expect, it } from 'vitest';
import type { ContractCloud, RawResponse } from './contract-cloud.ts';
import { failureOf, passwordOf } from './logins.ts';
import { describeClouds } from './targets.ts';

/** Permissions that delegated credentials have in Keystone: they determine what Fairway can revoke. */
describeClouds('delegation', (cloud) => {
  it('lets a trustee act as the trustor until the trust is deleted', async () => {
    const { member, other } = cloud();
    if (other === undefined) return;
    const { trust, asTrustee } = await trustOf(cloud(), true);
    const trustor = await member.session.token();

    const { token } = await cloud().cloud.client(asTrustee).session.token();

    expect(token.user.id).toBe(trustor.token.user.id);
    expect(token.project?.id).toBe(trustor.token.project?.id);
    expect(token['OS-TRUST:trust']).toMatchObject({ id: trust.id, impersonation: true });
    expect((await member.identity.trustsGiven()).map((each) => each.id)).toContain(trust.id);
    const asOtherUser = { ...passwordOf(cloud()), scope: { kind: 'trust', trustId: trust.id } } as const;
    const otherUserToken = cloud().cloud.client(asOtherUser).session.token();
    expect(await failureOf(otherUserToken)).toMatchObject({ kind: 'forbidden', status: 403 });
    expect(await failureOf(other.identity.deleteTrust(trust.id))).toMatchObject({ kind: 'forbidden' });

    await member.identity.deleteTrust(trust.id);

    expect(await failureOf(cloud().cloud.client(asTrustee).session.token())).toMatchObject({ kind: 'unauthorized' });
  });

  it('lets a trustee with impersonation delete the trust', async () => {
    if (cloud().other === undefined) return;
    const { trust, asTrustee } = await trustOf(cloud(), true);
    const trusteeClient = cloud().cloud.client(asTrustee);
    await trusteeClient.session.token();

    await trusteeClient.identity.deleteTrust(trust.id);

    expect(await failureOf(cloud().member.identity.trust(trust.id))).toMatchObject({ kind: 'notFound' });
    expect(await failureOf(cloud().cloud.client(asTrustee).session.token())).toMatchObject({ kind: 'unauthorized' });
    expect(await failureOf(trusteeClient.compute.limits())).toMatchObject({ kind: 'unauthorized' });
  });

  it('lets a trustee without impersonation act under their own name, but not delete the trust', async () => {
    const { member, other } = cloud();
    if (other === undefined) return;
    const { trust, asTrustee } = await trustOf(cloud(), false);
    const trusteeClient = cloud().cloud.client(asTrustee);

    const { token } = await trusteeClient.session.token();

    expect(token.user.id).toBe((await other.session.token()).token.user.id);
    expect(token.project?.id).toBe(await member.session.projectId());
    expect(await failureOf(trusteeClient.identity.deleteTrust(trust.id))).toMatchObject({ kind: 'forbidden' });
    expect(await member.identity.trust(trust.id)).toMatchObject({ id: trust.id });
  });

  it.each<{ what: string; method: string; path: (userId: string) => string; body?: object; message: RegExp }>([
    {
      what: 'list application credentials',
      method: 'GET',
      path: (userId) => `/users/${userId}/application_credentials`,
      message: /^You are not authorized to perform the requested action\.$/,
    },
    {
      what: 'create an application credential',
      method: 'POST',
      path: (userId) => `/users/${userId}/application_credentials`,
      body: { application_credential: { name: 'outlives the trust' } },
      message: /^You are not authorized to perform the requested action\.$/,
    },
    {
      what: 'log in again with its token',
      method: 'POST',
      path: () => '/auth/tokens',
      message:
        /^You are not authorized to perform the requested action: Using trust-scoped token to create another token\./,
    },
  ])('does not let a trustee $what through a trust', async ({ method, path, body, message }) => {
    if (cloud().other === undefined) return;
    const { asTrustee } = await trustOf(cloud(), true);
    const { id, token } = await cloud().cloud.client(asTrustee).session.token();
    const again = { auth: { identity: { methods: ['token'], token: { id } } } };

    const response = await cloud().raw('identity', method, path(token.user.id), {
      token: id,
      ...(method === 'POST' && { body: body ?? again }),
    });

    expectRefusal(response, message);
  });

  it('does not let a trustee delegate a trust to others', async () => {
    if (cloud().other === undefined) return;
    const { trust, asTrustee } = await trustOf(cloud(), true);
    const trusteeClient = cloud().cloud.client(asTrustee);
    const { trustee_user_id, project_id } = trust;
    const again = { trustee_user_id, project_id: project_id ?? '', impersonation: true, roles: [{ name: 'member' }] };

    expect(await failureOf(trusteeClient.identity.createTrust(again))).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });
  });

  it('does not let a restricted application credential create or delete credentials, including itself', async () => {
    const { client, id, userId } = await credentialOf(cloud(), false);
    const { id: token } = await client.session.token();
    const path = `/users/${userId}/application_credentials`;
    const message =
      /^You are not authorized to perform the requested action: Using method 'application_credential' is not allowed for managing additional application credentials\.\.$/;
    const body = { application_credential: { name: cloud().name() } };

    expectRefusal(await cloud().raw('identity', 'POST', path, { token, body }), message);
    expectRefusal(await cloud().raw('identity', 'DELETE', `${path}/${id}`, { token }), message);
    expect((await client.identity.applicationCredentials()).map((each) => each.id)).toContain(id);
  });

  it('lets an unrestricted application credential delete itself, which ends its tokens', async () => {
    const { client, id } = await credentialOf(cloud(), true);
    await client.session.token();

    await client.identity.deleteApplicationCredential(id);

    expect(await failureOf(client.compute.limits())).toMatchObject({ kind: 'unauthorized' });
    const remaining = await cloud().member.identity.applicationCredentials();
    expect(remaining.map((each) => each.id)).not.toContain(id);
  });

  it.each([false, true])('does not let application credentials use trusts, unrestricted: %s', async (unrestricted) => {
    const { client, userId } = await credentialOf(cloud(), unrestricted);
    const { id: token } = await client.session.token();

    const response = await cloud().raw('identity', 'GET', `/OS-TRUST/trusts?trustor_user_id=${userId}`, { token });

    const message =
      /^You are not authorized to perform the requested action: Delegated tokens cannot manage trusts\.\.$/;
    expectRefusal(response, message);
  });
});

interface Delegation {
  readonly trust: Trust;
  readonly asTrustee: Credential;
}

/** A trust from the member to the user of the other project. */
async function trustOf(cloud: ContractCloud, impersonation: boolean): Promise<Delegation> {
  const { member, other } = cloud;
  if (other === undefined) throw new Error('a trust needs two users');
  const { token } = await other.session.token();
  const trust = await member.identity.createTrust({
    trustee_user_id: token.user.id,
    project_id: await member.session.projectId(),
    impersonation,
    roles: [{ name: 'member' }],
  });
  cloud.defer(() => member.identity.deleteTrust(trust.id));
  // Users of the clouds under test share their password.
  const { password } = passwordOf(cloud);
  const scope = { kind: 'trust', trustId: trust.id } as const;
  return { trust, asTrustee: { kind: 'password', user: { id: token.user.id }, password, scope } };
}

interface CredentialResponse {
  readonly client: OpenStackClient;
  readonly id: string;
  readonly userId: string;
}

async function credentialOf(cloud: ContractCloud, unrestricted: boolean): Promise<CredentialResponse> {
  const { identity, session } = cloud.member;
  const { token } = await session.token();
  const { id, secret } = await identity.createApplicationCredential({ name: cloud.name(), unrestricted });
  cloud.defer(() => identity.deleteApplicationCredential(id));
  return { client: cloud.cloud.client({ kind: 'applicationCredential', id, secret }), id, userId: token.user.id };
}

function expectRefusal({ status, json }: RawResponse, message: RegExp): void {
  expect(status).toBe(403);
  expect(json).toMatchObject({ error: { code: 403, title: 'Forbidden', message: expect.stringMatching(message) } });
}
