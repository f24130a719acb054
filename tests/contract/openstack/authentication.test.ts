import type { Credential } from '@fairway/openstack/auth/credential';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { expect, it } from 'vitest';
import { failureOf, type PasswordCredential, passwordOf } from './logins.ts';
import { describeClouds } from './targets.ts';

const REFUSAL = {
  error: { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' },
};

describeClouds('authentication', (cloud) => {
  it('issues a token for the project, with roles and catalog', async () => {
    const { token, expiresAtMs } = await cloud().member.session.token();

    expect(token).toMatchObject({ methods: ['password'], is_domain: false });
    expect(token.project?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(token.roles.map((role) => role.name)).toContain('member');
    expect(token.catalog.map((entry) => entry.type)).toEqual(
      expect.arrayContaining(['identity', 'compute', 'network', 'image']),
    );
    expect(token.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(expiresAtMs).toBeGreaterThan(Date.now());
  });

  it.each<{ reason: string; change: (credential: PasswordCredential) => Credential }>([
    { reason: 'a wrong password', change: (credential) => ({ ...credential, password: 'wrong' }) },
    {
      reason: 'an unknown user',
      change: (credential) => ({ ...credential, user: { name: 'nobody', domain: { id: 'default' } } }),
    },
    {
      reason: 'an unknown project',
      change: (credential) => ({
        ...credential,
        scope: { kind: 'project', project: { name: 'nothing', domain: { id: 'default' } } },
      }),
    },
  ])('refuses $reason without revealing which part was wrong', async ({ change }) => {
    const client = cloud().cloud.client(change(passwordOf(cloud())));

    expect(await failureOf(client.session.token())).toMatchObject({
      kind: 'unauthorized',
      status: 401,
      detail: REFUSAL.error.message,
      requestId: expect.stringMatching(/^req-/),
    });
  });

  it('reports an invalid token as not found', async () => {
    const { scope } = passwordOf(cloud());

    const call = cloud().cloud.client({ kind: 'token', token: 'nonsense', scope }).session.token();

    expect(await failureOf(call)).toMatchObject({ kind: 'unauthorized', status: 404 });
  });

  it("refuses another project's scope", async () => {
    const { other } = cloud();
    if (other === undefined) return;
    const projectId = await other.session.projectId();
    const scope = { kind: 'project', project: { id: projectId } } as const;

    const call = cloud()
      .cloud.client({ ...passwordOf(cloud()), scope })
      .session.token();

    expect(await failureOf(call)).toMatchObject({ kind: 'unauthorized', status: 401 });
  });

  it.each(['compute', 'network', 'identity'] as const)(
    'refuses a request to %s without a token, and with an invalid one',
    async (service) => {
      const path = { compute: '/servers', network: '/networks', identity: '/auth/projects' }[service];

      for (const token of ['', 'nonsense']) {
        const response = await cloud().raw(service, 'GET', path, { token });

        expect(response.status).toBe(401);
        expect(response.json).toEqual(REFUSAL);
        expect(response.headers.get('www-authenticate')).toMatch(/^Keystone uri="http/);
      }
    },
  );

  it('refuses a revoked token everywhere', async () => {
    const client = cloud().cloud.client();
    const { id } = await client.session.token();

    const revoked = await cloud().raw('identity', 'DELETE', '/auth/tokens', {
      token: id,
      headers: { 'x-subject-token': id },
    });

    expect(revoked.status).toBe(204);
    for (const [service, path] of [
      ['identity', '/auth/projects'],
      ['network', '/networks'],
    ] as const) {
      expect((await cloud().raw(service, 'GET', path, { token: id })).status).toBe(401);
    }
    // The client requests a new one.
    await expect(client.identity.projects()).resolves.toHaveLength(1);
  });

  it('returns only the user’s own data and projects', async () => {
    const { member, other } = cloud();
    const { token } = await member.session.token();

    expect(await member.identity.me()).toMatchObject({ id: token.user.id, name: token.user.name, enabled: true });
    expect(await member.identity.projects()).toEqual([expect.objectContaining({ id: token.project?.id })]);
    expect(await member.identity.project()).toMatchObject({ id: token.project?.id, is_domain: false });
    if (other === undefined) return;
    const foreign = await other.session.projectId();
    expect(await failureOf(member.identity.project(foreign))).toMatchObject({ kind: 'forbidden', status: 403 });
  });

  it('creates an application credential, which acts as the user in one project until it is deleted', async () => {
    const { member } = cloud();
    const name = cloud().name();
    const created = await member.identity.createApplicationCredential({ name, roles: [{ name: 'member' }] });
    cloud().defer(() => member.identity.deleteApplicationCredential(created.id));
    const { user, scope: _, ...rest } = passwordOf(cloud());
    expect(rest.kind).toBe('password');
    const byId = cloud().cloud.client({ kind: 'applicationCredential', id: created.id, secret: created.secret });
    const byName = cloud().cloud.client({ kind: 'applicationCredential', name, user, secret: created.secret });

    for (const client of [byId, byName]) {
      const { token } = await client.session.token();
      expect(token.methods).toEqual(['application_credential']);
      expect(token.project?.id).toBe(created.project_id);
      expect(token.roles.map((role) => role.name)).toEqual(expect.arrayContaining(['member']));
    }
    expect(await failureOf(byId.identity.createApplicationCredential({ name: cloud().name() }))).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });

    await member.identity.deleteApplicationCredential(created.id);

    const fresh = cloud().cloud.client({ kind: 'applicationCredential', id: created.id, secret: created.secret });
    expect(await failureOf(fresh.session.token())).toMatchObject({ kind: 'unauthorized', status: 404 });
    expect(await failureOf(byName.compute.limits())).toMatchObject({ kind: 'unauthorized' });
  });

  it('accepts only future expiries for an application credential', async () => {
    const { identity } = cloud().member;
    const expired = identity.createApplicationCredential({ name: cloud().name(), expires_at: '2020-01-01T00:00:00' });
    expect(await failureOf(expired)).toMatchObject({ kind: 'badRequest', status: 400 });

    const expires_at = new Date(Date.now() + 10_000).toISOString().slice(0, 19);
    const created = await identity.createApplicationCredential({ name: cloud().name(), expires_at });
    cloud().defer(() => identity.deleteApplicationCredential(created.id));

    expect(created.expires_at).toMatch(new RegExp(`^${expires_at}`));
    await cloud().waitUntil('the application credential expires', async () => {
      const client = cloud().cloud.client({ kind: 'applicationCredential', id: created.id, secret: created.secret });
      const outcome = await client.session.token().catch((error: unknown) => error);
      return outcome instanceof OpenStackError && outcome.kind === 'unauthorized' ? true : undefined;
    });
  });

  it.each<{ reason: string; status: number; message: RegExp; body: (name: string) => object }>([
    {
      reason: 'an existing name',
      status: 409,
      message: /^Conflict occurred attempting to store application_credential - Duplicate entry found with name .*\.$/,
      body: (name) => ({ name }),
    },
    {
      reason: 'a role that the user does not have',
      status: 400,
      message: /^Invalid application credential: Cannot create an application credential with unassigned role$/,
      body: (name) => ({ name: `${name}-2`, roles: [{ name: 'admin' }] }),
    },
  ])('refuses an application credential: $reason', async ({ status, message, body }) => {
    const { member } = cloud();
    const name = cloud().name();
    const created = await member.identity.createApplicationCredential({ name });
    cloud().defer(() => member.identity.deleteApplicationCredential(created.id));
    const { token } = await member.session.token();

    const response = await cloud().raw('identity', 'POST', `/users/${token.user.id}/application_credentials`, {
      body: { application_credential: body(name) },
    });

    expect(response.json).toMatchObject({ error: { code: status, message: expect.stringMatching(message) } });
  });

  it('explains a malformed token request', async () => {
    const url = `${await cloud().member.session.endpoint('identity')}/auth/tokens`;

    const response = await cloud().fetch(url, 'POST', { body: { auth: {} } });

    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ error: { code: 400, title: 'Bad Request' } });
  });
});
