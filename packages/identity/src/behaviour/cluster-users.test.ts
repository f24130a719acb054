import { randomBytes } from 'node:crypto';
import type { KeystoneAccess } from '@fairway/api/domain/keystone-access';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_LIMITS, ClusterUsers } from '../cluster-users.ts';
import { LIMITS, TOKEN_CACHE_TTL_MS, UNKNOWN_TTL_MS } from '../keystone-tokens.ts';
import { startTestKeystone, type TestKeystone } from '../testing/test-keystone.ts';

const VALIDATION = 'GET /v3/auth/tokens';
const ROLES: KeystoneAccess['roles'] = { member: 'cluster-admin', reader: 'view' };

let keystone: TestKeystone;
let users: ClusterUsers;
/** The project of the users `simulator` and `simulator-reader`. */
let project: string;
beforeEach(async () => {
  keystone = await startTestKeystone();
  users = new ClusterUsers({ tokens: keystone.tokens, clock: keystone.clock });
  project = await keystone.as('simulator').session.projectId();
});
afterEach(() => keystone.close());

const reviewer = (change: Partial<KeystoneAccess> = {}, clusterUid = 'cluster-1') =>
  users.reviewerFor(clusterUid, { projects: [project], roles: ROLES, ...change });
const forged = () => `gAAAAA${randomBytes(120).toString('base64url')}`;

describe('Keystone users at a cluster', () => {
  it.each([
    { entry: 'simulator', roles: ['member', 'reader'], gives: ['cluster-admin', 'view'] },
    { entry: 'simulator-reader', roles: ['reader'], gives: ['view'] },
  ])('get groups for their roles and for the granted ClusterRoles: $entry', async ({ entry, roles, gives }) => {
    const { id } = await keystone.as(entry).identity.me();

    expect(await reviewer()(await keystone.tokenOf(entry))).toMatchObject({
      username: `keystone:${id}`,
      uid: id,
      groups: [
        `keystone:project:${project}`,
        ...roles.map((role) => `keystone:project:${project}:${role}`),
        ...gives.map((role) => `fairway:keystone:${role}`),
      ],
    });
  });

  it('get only the permissions that their role is mapped to', async () => {
    const token = await keystone.tokenOf('simulator-reader');
    const groups = async (roles: KeystoneAccess['roles']) => (await reviewer({ roles })(token))?.groups.slice(2);

    expect(await groups({ reader: 'edit' })).toEqual(['fairway:keystone:edit']);
    expect(await groups({})).toEqual([]);
  });

  it.each([
    { who: 'of another project', token: () => keystone.tokenOf('simulator-other') },
    { who: 'of an administrator', token: () => keystone.tokenOf('simulator-admin') },
    {
      who: 'for the whole cloud',
      token: () =>
        keystone.tokenOf('simulator-admin', { ...keystone.loginOf('simulator-admin'), scope: { kind: 'system' } }),
    },
    { who: 'that is forged', token: () => Promise.resolve(forged()) },
  ])('are rejected with a token $who', async ({ token }) => {
    expect(await reviewer()(await token())).toBeUndefined();
  });

  it("are all rejected until the cluster's project is known", async () => {
    expect(await reviewer({ projects: [] })(await keystone.tokenOf('simulator'))).toBeUndefined();
  });

  it('are accepted from another project as soon as it is configured', async () => {
    const token = await keystone.tokenOf('simulator-other');
    const projects = [project, await keystone.as('simulator-other').session.projectId()];
    await reviewer()(token);
    await keystone.clock.advance(UNKNOWN_TTL_MS);

    expect(await reviewer({ projects })(token)).toMatchObject({
      groups: expect.arrayContaining(['fairway:keystone:view']),
    });
  });
});

describe('a policy', () => {
  it('grants additional permissions to its users, and to no one else', async () => {
    const who = { projects: [project], roles: ['reader'] };
    const authorizer = users.authorizerFor(
      JSON.stringify([{ users: who, resource_permissions: { '*/pods': ['get'] } }]),
    );
    const of = async (entry: string) =>
      (await reviewer()(await keystone.tokenOf(entry))) ?? { username: '', groups: [] };
    const attributes = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'web', name: 'p' };
    const may = async (user: UserInfo, verb: string) =>
      (await authorizer.authorize({ ...attributes, user, verb })).allowed;
    const reader = await of('simulator-reader');

    expect(await may(reader, 'get')).toBe(true);
    expect(await may(reader, 'delete')).toBe(false);
    expect(await may(await of('simulator-other'), 'get')).toBe(false);
    expect(await may({ ...reader, username: 'system:serviceaccount:web:ci' }, 'get')).toBe(false);
  });

  it('is reported if it is invalid', () => {
    expect(() => users.authorizerFor('[{"users": {}, "rights": []}]')).toThrow('rights');
  });
});

describe('calls to Keystone', () => {
  it('are not made for tokens that are clearly not from Keystone', async () => {
    for (const token of ['abcdef.0123456789abcdef', 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2ln', '']) {
      expect(await reviewer()(token)).toBeUndefined();
    }
    expect(keystone.calls(VALIDATION)).toBe(0);
  });

  it('are made once for a token that is sent to several clusters', async () => {
    const token = await keystone.tokenOf('simulator');
    for (const cluster of ['a', 'b', 'c']) expect(await reviewer({}, cluster)(token)).toBeDefined();

    expect(keystone.calls(VALIDATION)).toBe(1);
  });

  it.each([
    {
      what: 'unknown tokens',
      token: () => Promise.resolve(forged()),
      most: CLUSTER_LIMITS.perNetwork.burst,
    },
    {
      what: 'tokens of other projects',
      token: () => keystone.tokenOf('simulator-other'),
      most: CLUSTER_LIMITS.perNetwork.burst,
    },
  ])(
    'are limited for a cluster with $what, without affecting other clusters or known users of the cluster',
    async ({ token, most }) => {
      const known = await keystone.tokenOf('simulator');
      const late = await keystone.tokenOf('simulator');
      await reviewer()(known);
      const previous = keystone.calls(VALIDATION);
      for (let index = 0; index < most + 10; index++) await reviewer()(await token());

      expect(keystone.calls(VALIDATION) - previous).toBe(most);
      expect(await reviewer()(known)).toBeDefined();
      expect(await reviewer()(late)).toBeUndefined();
      expect(await reviewer({}, 'cluster-2')(late)).toBeDefined();
    },
  );

  it('do not count as guesses for a known user, even after a pause, until the token expires', async () => {
    const known = await keystone.tokenOf('simulator');
    await reviewer()(known);
    await keystone.clock.advance(TOKEN_CACHE_TTL_MS * 2);
    for (let index = 0; index < CLUSTER_LIMITS.perNetwork.burst * 2; index++) await reviewer()(forged());

    expect(await reviewer()(known)).toBeDefined();
  });

  it('leave half of the limit to Fairway’s API, however many tokens the clusters guess', () => {
    expect(CLUSTER_LIMITS.total.perMinute).toBeLessThanOrEqual(LIMITS.total.perMinute / 2);
    expect(CLUSTER_LIMITS.concurrentReviews.total).toBeLessThanOrEqual(LIMITS.concurrentReviews.total / 2);
  });
});

describe('while Keystone is unavailable', () => {
  it('known users keep access, and other users are rejected without counting as guesses', async () => {
    const [known, late] = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator')];
    await reviewer()(known);
    const id = keystone.simulator.faults.add({
      service: 'identity',
      method: 'GET',
      path: '/v3/auth/tokens',
      times: null,
      action: { kind: 'answer', status: 503 },
    });
    const first = reviewer()(late);
    await keystone.clock.advance(10_000);
    expect(await first).toBeUndefined();
    for (let index = 0; index < CLUSTER_LIMITS.perNetwork.burst * 2; index++) {
      expect(await reviewer()(late)).toBeUndefined();
      expect(await reviewer()(known)).toBeDefined();
    }
    keystone.simulator.faults.remove(id);
    await keystone.clock.advance(15_000);

    expect(await reviewer()(late)).toBeDefined();
  });
});
