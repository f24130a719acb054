import { clusterRoleGroup, DEFAULT_KEYSTONE_ROLES, type KeystoneAccess } from '@fairway/api/domain/keystone-access';
import { clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { KEYSTONE_CLUSTER_ROLES } from '@fairway/api/kinds/cluster-options';
import { withoutBlindField } from '@fairway/api/testing/blind';
import { aCluster } from '@fairway/api/testing/objects';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { keystoneFor, withKeystoneProblem } from '../cluster/keystone-users.ts';
import { TestFairway } from '../testing/test-fairway.ts';

type Keystone = NonNullable<NonNullable<NewCluster['spec']['apiServer']>['keystone']>;

const NOTHING = () => ({ authorize: () => ({ allowed: false, reason: '' }) });

/** The API server's token settings for a cluster with these fields. */
function accessOf(keystone: Keystone, projectID: string | undefined = 'own'): KeystoneAccess | undefined {
  const reported: KeystoneAccess[] = [];
  const users = {
    reviewerFor(_: string, access: KeystoneAccess) {
      reported.push(access);
      return () => Promise.resolve(undefined);
    },
    authorizerFor: NOTHING,
  };
  const cluster = withoutBlindField(clusters.kind, aCluster({ apiServer: { keystone } }));
  keystoneFor({ ...cluster, status: { ...(projectID !== undefined && { projectID }) } }, users);
  return reported[0];
}

describe('a cluster with Keystone users', () => {
  test.each<{ field: string; keystone: Keystone; projects: readonly string[] }>([
    { field: 'nothing', keystone: {}, projects: ['own'] },
    { field: 'projects', keystone: { projects: ['a', 'b'] }, projects: ['a', 'b'] },
  ])('admits projects with $field set', ({ keystone, projects }) => {
    expect(accessOf(keystone)?.projects).toEqual(projects);
  });

  test.each<{ field: string; keystone: Keystone; roles: KeystoneAccess['roles'] }>([
    { field: 'nothing', keystone: {}, roles: DEFAULT_KEYSTONE_ROLES },
    { field: 'roles', keystone: { roles: { auditor: 'view' } }, roles: { auditor: 'view' } },
    { field: 'empty roles', keystone: { roles: {} }, roles: {} },
  ])('grants permissions to roles with $field set', ({ keystone, roles }) => {
    expect(accessOf(keystone)?.roles).toEqual(roles);
  });

  test('grants additional permissions only to roles that its policy lists', () => {
    const policies: string[] = [];
    const users = {
      reviewerFor: () => () => Promise.resolve(undefined),
      authorizerFor(policy: string) {
        policies.push(policy);
        return NOTHING();
      },
    };
    const clusterWith = (keystone: Keystone) => withoutBlindField(clusters.kind, aCluster({ apiServer: { keystone } }));

    expect(keystoneFor(clusterWith({ policy: '[]' }), users).reviewAccess).toBeDefined();
    expect(keystoneFor(clusterWith({}), users).reviewAccess).toBeUndefined();
    expect(policies).toEqual(['[]']);
    expect(accessOf({ policy: '[]' })?.roles).toEqual({});
    expect(accessOf({ policy: '[]', roles: { a: 'view' } })?.roles).toEqual({ a: 'view' });
  });

  test('grants no additional permissions, and reports this, if an invalid policy has passed the gateway', () => {
    const users = {
      reviewerFor: () => () => Promise.resolve(undefined),
      authorizerFor() {
        throw new Error('it is broken');
      },
    };
    const found = keystoneFor(aCluster({ apiServer: { keystone: { policy: '[' } } }), users);

    expect(found).toMatchObject({ problem: 'spec.apiServer.keystone.policy: it is broken' });
    expect(found.reviewToken).toBeDefined();
    expect(found.reviewAccess).toBeUndefined();
  });

  test('admits no users while its project is unknown', () => {
    expect(
      keystoneFor(aCluster({ apiServer: { keystone: {} } }), {
        reviewerFor: () => () => Promise.resolve(undefined),
        authorizerFor: NOTHING,
      }),
    ).toMatchObject({ projects: [] });
  });
});

describe('in a running Fairway', () => {
  const keystoneUsers = { reviewerFor: () => () => Promise.resolve(undefined), authorizerFor: NOTHING };
  const NAMES = KEYSTONE_CLUSTER_ROLES.map(clusterRoleGroup);

  test('role bindings exist while Keystone users are admitted', async () => {
    await using fairway = await TestFairway.start({ keystoneUsers });
    const { metadata } = await fairway.readyCluster({ replicas: 0 }, { apiServer: { keystone: {} } });
    const bindings = () => fairway.runtime.client(metadata.uid ?? '').resource(ClusterRoleBindings);
    const currentBindings = async () =>
      (await bindings().list()).items.filter(({ metadata: { name = '' } }) => NAMES.includes(name));
    await eventually(bindings(), {}, (all) => NAMES.every((name) => all.some((each) => each.metadata.name === name)));
    const [cluster] = await fairway.until(clusters, ([each]) => each?.status?.keystone !== undefined);

    expect(cluster?.status?.keystone?.projects).toEqual([cluster?.status?.projectID]);
    expect(fairway.runtime.requestedSpecs.at(-1)?.reviewToken).toBeDefined();
    const rights = (await currentBindings()).map(({ roleRef, subjects }) => [roleRef.name, subjects?.[0]?.name]);
    expect(Object.fromEntries(rights)).toEqual(
      Object.fromEntries(KEYSTONE_CLUSTER_ROLES.map((name) => [name, clusterRoleGroup(name)])),
    );

    await fairway.patch(clusters, 'demo', { spec: { apiServer: { keystone: null } } });
    await fairway.until(clusters, ([each]) => each !== undefined && each.status?.keystone === undefined);

    expect(await currentBindings()).toEqual([]);
    expect(fairway.runtime.requestedSpecs.at(-1)?.reviewToken).toBeUndefined();
  });

  test('role bindings of an earlier process are removed by the next', async () => {
    await using fairway = await TestFairway.start({ keystoneUsers });
    const { metadata } = await fairway.readyCluster({ replicas: 0 }, { apiServer: { keystone: {} } });
    const bindings = fairway.runtime.client(metadata.uid ?? '').resource(ClusterRoleBindings);
    await eventually(bindings, {}, (all) => NAMES.every((name) => all.some((each) => each.metadata.name === name)));
    await fairway.stopProcess();
    await fairway.patch(clusters, 'demo', { spec: { apiServer: { keystone: null } } });
    await fairway.startProcess();

    const left = await eventually(
      bindings,
      {},
      (all) => !all.some(({ metadata: { name = '' } }) => NAMES.includes(name)),
    );

    expect(left.map(({ metadata }) => metadata.name)).toContain('fairway:cluster-admins');
  });

  test('a cluster reports that it requests Keystone users even though they are not supported', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster({ apiServer: { keystone: {} } });
    const [cluster] = await fairway.until(clusters, ([each]) =>
      (each?.status?.conditions ?? []).some(({ type }) => type === 'SettingsApplied'),
    );

    expect(cluster?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'SettingsApplied',
        status: 'False',
        reason: 'SettingsNotEnforced',
        message: expect.stringContaining(
          'spec.apiServer.keystone: Keystone authentication is not enabled in this Fairway',
        ),
      }),
    );
    expect(fairway.runtime.requestedSpecs.at(-1)?.reviewToken).toBeUndefined();
  });
});

test('a tenant’s mistake is reported first', () => {
  const state = { phase: 'Running', ready: true, reason: 'AsExpected', message: '' } as const;
  const running = { ...state, endpoint: undefined, version: undefined, etcdUsageBytes: undefined };
  const reported = withKeystoneProblem(
    { ...running, settingsProblem: 'No issuer.' },
    { projects: [], problem: 'None.' },
  );

  expect(reported).toMatchObject({ settingsProblem: 'No issuer. None.', settingsReason: undefined });
});
