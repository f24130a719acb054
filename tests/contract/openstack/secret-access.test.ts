import { expect, it } from 'vitest';
import { expectKeyError, KeyCloud } from './key-cloud.ts';
import { describeClouds } from './targets.ts';

const TEXT = { accept: 'text/plain' };

/** Permissions on secrets and containers: roles, access rules and consumers. */
describeClouds('access to secrets', (cloud) => {
  const keys = (): KeyCloud => new KeyCloud(cloud());
  const notAllowed = (operation: string) =>
    `${operation} attempt not allowed - please review your user/project privileges`;

  it.each(['other', 'reader'] as const)('is refused to the %s', async (who) => {
    const { path } = await keys().text('hidden');
    const { token } = await keys().as(who);
    const calls: readonly (readonly [method: string, path: string, operation: string, body?: object])[] = [
      ['GET', path, 'Secret retrieval'],
      ['DELETE', path, 'Secret deletion'],
      ['GET', `${path}/metadata`, 'Secret metadata retrieval'],
      ['PUT', `${path}/metadata`, 'Secret metadata creation', { metadata: {} }],
      ['GET', `${path}/acl`, 'SecretACL(s) retrieval'],
      ['PUT', `${path}/acl`, 'SecretACL(s) Update', {}],
      ['GET', `${path}/consumers`, 'SecretConsumers(s) retrieval'],
    ];

    for (const [method, at, operation, body] of calls)
      expectKeyError(await keys().call(method, at, body, { token }), 403, notAllowed(operation));
    expectKeyError(
      await keys().call('GET', `${path}/payload`, undefined, { token, headers: TEXT }),
      403,
      notAllowed('Secret payload retrieval'),
    );
    expectKeyError(
      await keys().call('PUT', path, 'x', { token, headers: { 'content-type': 'text/plain' } }),
      403,
      notAllowed('Secret update'),
    );
  });

  it('does not allow a reader to list or create secrets', async () => {
    const { token } = await keys().as('reader');

    expectKeyError(await keys().call('GET', '/secrets', undefined, { token }), 403, notAllowed('Secret(s) retrieval'));
    expectKeyError(await keys().call('POST', '/secrets', {}, { token }), 403, notAllowed('Secret creation'));
    expectKeyError(
      await keys().call('POST', '/containers', { type: 'generic' }, { token }),
      403,
      notAllowed('Container creation'),
    );
  });

  it('is granted to users of other projects by rules, for reading only', async () => {
    const { path, ref } = await keys().text('shared');
    const { token, userId } = await keys().as('other');
    const acl = (method: string, body?: object) => keys().call(method, `${path}/acl`, body);

    expect((await acl('GET')).json).toEqual({ read: { 'project-access': true } });
    const put = await acl('PUT', { read: { users: [userId], 'project-access': false } });
    expect([put.status, put.json]).toEqual([200, { acl_ref: `${ref}/acl` }]);
    expect((await acl('GET')).json).toEqual({
      read: {
        'project-access': false,
        users: [userId],
        created: expect.stringMatching(/T/),
        updated: expect.stringMatching(/T/),
      },
    });
    expect((await keys().call('GET', path, undefined, { token })).json).toMatchObject({ secret_ref: ref });
    expect((await keys().call('GET', `${path}/payload`, undefined, { token, headers: TEXT })).text).toBe('shared');
    expect((await keys().call('GET', `${path}/metadata`, undefined, { token })).status).toBe(200);
    expectKeyError(await keys().call('DELETE', path, undefined, { token }), 403, notAllowed('Secret deletion'));
    expectKeyError(
      await keys().call('GET', `${path}/acl`, undefined, { token }),
      403,
      notAllowed('SecretACL(s) retrieval'),
    );
    const shared = await keys().call('GET', '/secrets?acl_only=true', undefined, { token });
    expect(shared.json).toMatchObject({ secrets: [{ secret_ref: ref }], total: 1 });

    await acl('PATCH', { read: { users: [] } });
    expect((await acl('GET')).json).toMatchObject({ read: { 'project-access': false, users: [] } });
    expectKeyError(await keys().call('GET', path, undefined, { token }), 403, notAllowed('Secret retrieval'));
    const ended = await acl('DELETE');
    expect([ended.status, ended.json]).toEqual([200, null]);
    expect((await acl('GET')).json).toEqual({ read: { 'project-access': true } });
    await acl('PATCH', { read: { users: [userId] } });
    await acl('PUT', { read: {} });
    expect((await acl('GET')).json).toEqual({ read: { 'project-access': true } });
    const wrong = (reason: string, field: string) =>
      `Provided object does not match schema 'ACL': ${reason}. Invalid property: '${field}'`;
    for (const [body, description] of [
      [{ write: {} }, wrong("Additional properties are not allowed ('write' was unexpected)", 'None')],
      [{ read: { x: 1 } }, wrong("Additional properties are not allowed ('x' was unexpected)", 'read')],
      [{ read: { users: 'x' } }, wrong("'x' is not of type 'array'", 'read')],
      [{ read: { users: [1] } }, wrong("1 is not of type 'string'", 'read')],
      [{ read: { 'project-access': 'x' } }, wrong("'x' is not of type 'boolean'", 'read')],
    ] as const)
      expectKeyError(await acl('PUT', body), 400, description);
  });

  it('records the consumers of a secret', async () => {
    const { path, id } = await keys().secret();
    const consumers = (method: string, body?: object) => keys().call(method, `${path}/consumers`, body);
    const consumer = { service: 'compute', resource_type: 'server', resource_id: 'i' };

    expect((await consumers('GET')).json).toEqual({ consumers: [], total: 0 });
    const created = await consumers('POST', consumer);
    expect([created.status, created.json]).toEqual([200, expect.objectContaining({ consumers: [consumer] })]);
    expect(created.headers.get('location')).toMatch(new RegExp(`/v1/consumers/${id}/consumers$`));
    expect((await consumers('POST', consumer)).json).toMatchObject({ consumers: [consumer] });
    expect((await consumers('GET')).json).toEqual({
      consumers: [
        { created: expect.stringMatching(/T/), updated: expect.stringMatching(/T/), status: 'ACTIVE', ...consumer },
      ],
      total: 1,
    });
    const wrong = (reason: string, field: string) =>
      `Provided object does not match schema 'Secret Consumer': ${reason}. Invalid property: '${field}'`;
    expectKeyError(
      await consumers('POST', { service: 's' }),
      400,
      wrong("'resource_type' is a required property", 'None'),
    );
    expectKeyError(await consumers('POST', { ...consumer, service: '' }), 400, wrong("'' is too short", 'service'));
    expectKeyError(await consumers('DELETE', { ...consumer, resource_id: 'zz' }), 404, 'Consumer not found.');
    expect((await consumers('DELETE', consumer)).json).toMatchObject({ consumers: [] });
    expectKeyError(await consumers('DELETE', consumer), 404, 'Consumer not found.');
    expectKeyError(await consumers('PUT', {}), 406, null);
  });
});
