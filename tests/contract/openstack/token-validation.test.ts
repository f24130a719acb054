import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { RevocationEvent, Token } from '@fairway/openstack/types/identity';
import { expect, it } from 'vitest';
import { Administration } from './administration.ts';
import type { ContractCloud } from './contract-cloud.ts';
import { failureOf } from './logins.ts';
import { describeClouds } from './targets.ts';

const FORGED = `gAAAAAB${'x'.repeat(180)}`;
const NO_SUCH_PROJECT = '0123456789abcdef0123456789abcdef';
const DAY_MS = 86_400_000;

/** Undefined for a token that Keystone does not know. */
async function validateToken(cloud: ContractCloud, token: string): Promise<Token | undefined> {
  try {
    return await cloud.admin?.identity.validateToken(token);
  } catch (error) {
    if (isOpenStackError(error, 'notFound') && error.status === 404) return undefined;
    throw error;
  }
}

async function events(cloud: ContractCloud): Promise<readonly RevocationEvent[]> {
  return (await cloud.admin?.identity.revocationEvents(Date.now() - DAY_MS)) ?? [];
}

describeClouds('token validation', (cloud) => {
  it('reports a token’s user to an administrator, without the catalog', async () => {
    if (cloud().admin === undefined) return;
    const { id, token } = await cloud().member.session.token();

    const { catalog, audit_ids, user, project, roles } = (await validateToken(cloud(), id)) ?? {};

    expect(catalog).toEqual([]);
    expect({ audit_ids, user, project, roles }).toEqual({
      audit_ids: token.audit_ids,
      user: token.user,
      project: token.project,
      roles: token.roles,
    });
  });

  it.each([FORGED, 'nonsense'])('fails with 404 for %s', async (token) => {
    if (cloud().admin === undefined) return;
    const validation = cloud().admin?.identity.validateToken(token) ?? Promise.resolve();

    expect(await failureOf(validation)).toMatchObject({ kind: 'notFound', status: 404 });
  });

  it('is forbidden to a member for other users’ tokens', async () => {
    if (cloud().admin === undefined) return;
    const { id } = (await cloud().admin?.session.token()) ?? { id: '' };

    expect(await failureOf(cloud().member.identity.validateToken(id))).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });
  });

  it('fails for a revoked token, whose revocation is listed, and not for other tokens', async () => {
    if (cloud().admin === undefined) return;
    const { member } = cloud();
    const { id, token } = await member.session.token();
    const project = { id: await member.session.projectId() };
    const child = { kind: 'token', token: id, scope: { kind: 'project', project } } as const;
    const childToken = (await cloud().cloud.client(child).session.token()).id;
    const headers = { 'x-subject-token': id };
    const response = await cloud().raw('identity', 'DELETE', '/auth/tokens', { token: id, headers });
    await member.session.renew();

    expect(response.status).toBe(204);
    expect(await validateToken(cloud(), id)).toBeUndefined();
    expect(await validateToken(cloud(), childToken)).toBeDefined();
    expect((await events(cloud())).map(({ audit_id }) => audit_id)).toContain(token.audit_ids[0]);
  });

  it('fails after a user is disabled, with an entry in the revocation list', async () => {
    if (cloud().admin === undefined) return;
    const administration = new Administration(cloud());
    const { id, client } = await administration.userWith('member');
    const token = (await client.session.token()).id;
    expect((await validateToken(cloud(), token))?.user.id).toBe(id);

    await administration.send('PATCH', `/users/${id}`, { user: { enabled: false } });

    expect(await validateToken(cloud(), token)).toBeUndefined();
    expect((await events(cloud())).map(({ user_id }) => user_id)).toContain(id);
  });

  it('fails after the last role is removed, without an entry in the revocation list', async () => {
    if (cloud().admin === undefined) return;
    const administration = new Administration(cloud());
    const { id, client, roleId } = await administration.userWith('member');
    const token = (await client.session.token()).id;
    const project = await cloud().member.session.projectId();

    await administration.send('DELETE', `/projects/${project}/users/${id}/roles/${roleId}`);

    expect(await validateToken(cloud(), token)).toBeUndefined();
    expect((await events(cloud())).map(({ user_id }) => user_id)).not.toContain(id);
  });
});

describeClouds('lists of revocations and of projects', (cloud) => {
  it('are forbidden to a member', async () => {
    if (cloud().admin === undefined) return;
    const { identity } = cloud().member;

    expect(await failureOf(identity.revocationEvents(0))).toMatchObject({ kind: 'forbidden', status: 403 });
    expect(await failureOf(identity.allProjects())).toMatchObject({ kind: 'forbidden', status: 403 });
  });

  it('can be requested since a given time', async () => {
    if (cloud().admin === undefined) return;
    expect(await cloud().admin?.identity.revocationEvents(Date.now() + DAY_MS)).toEqual([]);
  });

  it('are returned to an administrator, with 404 for a missing project', async () => {
    if (cloud().admin === undefined) return;
    const projects = (await cloud().admin?.identity.allProjects()) ?? [];
    const missing = cloud().admin?.identity.project(NO_SUCH_PROJECT) ?? Promise.resolve();

    expect(projects.map(({ id }) => id)).toContain(await cloud().member.session.projectId());
    expect(await failureOf(missing)).toMatchObject({ kind: 'notFound', status: 404 });
  });

  it('are returned only in part: revocations to the service role, projects to system readers', async () => {
    if (cloud().admin === undefined) return;
    const administration = new Administration(cloud());
    const { id, client, as } = await administration.userWith('service');
    await administration.send('PUT', `/system/users/${id}/roles/${await administration.roleId('reader')}`);
    const { session } = cloud().member;
    const system = as({ kind: 'system' });
    const projectId = await session.projectId();

    expect((await client.identity.validateToken((await session.token()).id)).project?.id).toBe(projectId);
    expect(await client.identity.revocationEvents(Date.now())).toBeInstanceOf(Array);
    expect(await failureOf(client.identity.allProjects())).toMatchObject({ kind: 'forbidden' });
    expect((await system.identity.allProjects()).map((project) => project.id)).toContain(projectId);
    expect(await failureOf(system.identity.project(NO_SUCH_PROJECT))).toMatchObject({ kind: 'notFound', status: 404 });
    expect(await failureOf(system.identity.revocationEvents(Date.now()))).toMatchObject({ kind: 'forbidden' });
  });
});
