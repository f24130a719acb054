import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../../testing/test-gateway.ts';

const running: TestGateway[] = [];
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start();
  running.push(gateway);
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

/** Another process on the same store. */
async function restart(): Promise<TestGateway> {
  const next = await TestGateway.start('embedded', gateway.store);
  running.push(next);
  return next;
}

test('creates namespaces, roles, plans and releases in a new store', async () => {
  const client = gateway.as('operator');
  const names = async (list: Promise<{ items: readonly { metadata: { name?: string } }[] }>) =>
    (await list).items.map(({ metadata }) => metadata.name);

  expect(await names(client.resource(Namespaces).list())).toEqual(
    expect.arrayContaining(['default', 'kube-system', SYSTEM_NAMESPACE]),
  );
  expect(await names(client.resource(plans).list())).toEqual(SHIPPED_PLANS.map(({ metadata }) => metadata.name));
  expect(await names(client.resource(ClusterRoles).list())).toEqual(
    expect.arrayContaining(['cluster-admin', 'fairway-member', 'fairway-reader', 'fairway-catalogue-reader']),
  );
});

test('leaves an existing store unchanged: no object is written again', async () => {
  await gateway.populate();
  await gateway.createCluster('demo');
  // The second start writes the aggregated roles.
  await restart();
  const kinds = [Namespaces, ClusterRoles, ClusterRoleBindings, plans, kubernetesReleases];
  const versions = async (of: TestGateway) => {
    const lists = await Promise.all(kinds.map((kind) => of.as('operator').resource(kind).list()));
    return lists.map(({ items }) => items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`));
  };
  const before = await versions(gateway);

  expect(await versions(await restart())).toEqual(before);
});

test('keeps a Plan that the operator changed, and one that is not shipped', async () => {
  const client = gateway.as('operator').resource(plans);
  await client.patch('free', { type: 'merge', value: { spec: { maxNodes: 7 } } });
  const { spec } = await client.get('standard');
  const gold = { apiVersion: 'fairway.dev/v1alpha1', kind: plans.kind, metadata: { name: 'gold' }, spec };
  await client.create(gold);

  const after = await (await restart()).as('operator').resource(plans).list();

  expect(after.items.map(({ metadata }) => metadata.name)).toEqual(['free', 'gold', 'standard']);
  expect(after.items[0]?.spec.maxNodes).toBe(7);
});

test('keeps rules that an operator added to a shipped role', async () => {
  const roles = gateway.as('operator').resource(ClusterRoles);
  const reader = await roles.get('fairway-reader');
  const more = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  await roles.update({ ...reader, rules: [...(reader.rules ?? []), more] });

  const after = await (await restart()).as('operator').resource(ClusterRoles).get('fairway-reader');

  expect(after.rules).toContainEqual(more);
});

test('revokes only the access to Secrets that an older release gave to members', async () => {
  const roles = gateway.as('operator').resource(ClusterRoles);
  const member = await roles.get('fairway-member');
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const older = { ...secrets, verbs: ['create', 'update', 'patch', 'delete'] };
  const more = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  const rules = (member.rules ?? []).map((rule) => (rule.resources?.includes('secrets') ? older : rule));
  await roles.update({ ...member, rules: [...rules, more] });

  const after = await (await restart()).as('operator').resource(ClusterRoles).get('fairway-member');

  expect(after.rules).toEqual([...(member.rules ?? []), more]);
  expect(after.rules).toContainEqual({ ...secrets, verbs: ['create', 'update'] });
});

test('lets users who could request kubeconfigs in an older release make all current requests', async () => {
  const roles = gateway.as('operator').resource(ClusterRoles);
  const member = await roles.get('fairway-member');
  const isRequestRule = ({ resources }: PolicyRule) => resources?.includes('clusters/kubeconfig') === true;
  const rules = (member.rules ?? []).map((rule) =>
    isRequestRule(rule) ? { ...rule, resources: ['clusters/kubeconfig'] } : rule,
  );
  await roles.update({ ...member, rules });

  const after = await (await restart()).as('operator').resource(ClusterRoles).get('fairway-member');

  expect(after.rules).toEqual(member.rules);
  expect(after.rules?.find(isRequestRule)?.resources).toContain('clusters/upgradeplan');
});

test('lets a reader from an older release read clusters’ cloud resources, unless the operator changed the role', async () => {
  const roles = gateway.as('operator').resource(ClusterRoles);
  const reader = await roles.get('fairway-reader');
  const before = (reader.rules ?? []).filter(
    ({ resources }) => resources?.includes('clusters/cloudresources') !== true,
  );
  await roles.update({ ...reader, rules: before });
  const upgraded = (await restart()).as('operator').resource(ClusterRoles);
  const after = await upgraded.get('fairway-reader');
  const ownRules = before.slice(0, 1);
  await upgraded.update({ ...after, rules: ownRules });

  expect(after.rules).toEqual(reader.rules);
  expect((await (await restart()).as('operator').resource(ClusterRoles).get('fairway-reader')).rules).toEqual(ownRules);
});

test.each(['fairway-member', 'fairway-reader'])(
  'adds quota requests to an older %s role that could only make requests about clusters',
  async (name) => {
    const roles = gateway.as('operator').resource(ClusterRoles);
    const role = await roles.get(name);
    const rules = (role.rules ?? []).map(({ resources = [], ...rule }) => ({
      ...rule,
      resources: resources.filter((each) => each !== 'cloudprofiles/quotas'),
    }));
    await roles.update({ ...role, rules });
    const after = await (await restart()).as('operator').resource(ClusterRoles).get(name);

    expect(rules).not.toEqual(role.rules);
    expect(after.rules).toEqual(role.rules);
  },
);

test('recreates missing objects', async () => {
  await gateway.as('operator').resource(ClusterRoleBindings).delete('fairway-catalogue-reader');
  await gateway.as('operator').resource(plans).delete('standard');

  const next = await restart();

  const offeredPlans = await next.as('nobody').resource(plans).list();
  expect(offeredPlans.items.map(({ metadata }) => metadata.name)).toEqual(['free', 'standard']);
});
