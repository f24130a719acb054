import { API_VERSION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { Events, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import type { ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, TEAM, TestGateway, UNKNOWN_CLOUD_TEAM } from '../../testing/test-gateway.ts';

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
  });
  afterAll(() => gateway.close());

  const SelfSubjectAccessReviews = {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
  };

  /** The result of `kubectl auth can-i`. */
  async function canI(person: Person, verb: string, { group, plural }: ResourceType, at: { namespace?: string } = {}) {
    const [resource, subresource] = plural.split('/');
    const resourceAttributes = { verb, group, resource, ...(subresource !== undefined && { subresource }), ...at };
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: SelfSubjectAccessReviews.kind,
      spec: { resourceAttributes },
    };
    const reply = await gateway.call(person, 'POST', SelfSubjectAccessReviews.path, body);
    return (reply.body as { status: { allowed: boolean } }).status.allowed;
  }

  function sub(type: ResourceType, subresource: string): ResourceType {
    return { ...type, plural: `${type.plural}/${subresource}` };
  }

  const READ = ['get', 'list', 'watch'];
  const CHANGE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

  interface Right {
    readonly type: ResourceType;
    readonly verbs: readonly string[];
    readonly member: boolean;
    readonly reader: boolean;
    readonly reason?: string;
  }

  const RIGHTS: readonly Right[] = [
    { type: clusters, verbs: READ, member: true, reader: true },
    { type: clusters, verbs: CHANGE, member: true, reader: false },
    { type: nodePools, verbs: READ, member: true, reader: true },
    { type: nodePools, verbs: CHANGE, member: true, reader: false },
    { type: sub(nodePools, 'scale'), verbs: ['get'], member: true, reader: true },
    { type: sub(nodePools, 'scale'), verbs: ['update', 'patch'], member: true, reader: false },
    { type: machines, verbs: READ, member: true, reader: true },
    { type: machines, verbs: ['delete', 'deletecollection'], member: true, reader: false, reason: 'replaces them' },
    { type: machines, verbs: ['create', 'update', 'patch'], member: false, reader: false, reason: 'pools create them' },
    { type: sub(clusters, 'kubeconfig'), verbs: ['create'], member: true, reader: false },
    { type: sub(clusters, 'audit'), verbs: ['get'], member: true, reader: true },
    { type: sub(clusters, 'status'), verbs: ['update', 'patch'], member: false, reader: false },
    { type: Events, verbs: READ, member: true, reader: true },
    { type: Events, verbs: ['create'], member: false, reader: false },
    { type: cloudCredentials, verbs: READ, member: true, reader: true },
    { type: cloudCredentials, verbs: CHANGE, member: true, reader: false },
    { type: Secrets, verbs: READ, member: false, reader: false, reason: 'credentials are never returned' },
    { type: Secrets, verbs: ['create', 'update'], member: true, reader: false },
    {
      type: Secrets,
      verbs: ['patch', 'delete', 'deletecollection'],
      member: false,
      reader: false,
      reason: 'their responses contain credentials',
    },
  ];
  const CASES = RIGHTS.flatMap(({ verbs, type, ...right }) =>
    verbs.map((verb) => ({ verb, type, what: type.plural, ...right })),
  );

  describe('in the namespace of the role binding', () => {
    test.each(CASES)('$verb $what: member $member, reader $reader', async ({ verb, type, member, reader }) => {
      expect(await canI('alice', verb, type, { namespace: TEAM })).toBe(member);
      expect(await canI('rita', verb, type, { namespace: TEAM })).toBe(reader);
      expect(await canI('nobody', verb, type, { namespace: TEAM })).toBe(false);
    });
  });

  describe('elsewhere', () => {
    test.each(CASES)('does not allow $verb on $what through a role in another namespace', async ({ verb, type }) => {
      expect(await canI('rita', verb, type, { namespace: UNKNOWN_CLOUD_TEAM })).toBe(false);
      expect(await canI('alice', verb, type)).toBe(false);
    });

    test.each<[Person]>([['alice'], ['rita'], ['nobody']])('denies %s access to fairway-system', async (person) => {
      for (const verb of [...READ, ...CHANGE]) {
        expect(await canI(person, verb, Secrets, { namespace: SYSTEM_NAMESPACE })).toBe(false);
        expect(await canI(person, verb, clusters, { namespace: SYSTEM_NAMESPACE })).toBe(false);
      }
      const secrets = gateway.as(person).resource(Secrets).list({ namespace: SYSTEM_NAMESPACE });
      await expect(secrets).rejects.toMatchObject({ code: 403, reason: 'Forbidden' });
    });

    test('lets no one replace the cloud that the operator assigned to a namespace', async () => {
      expect(await canI('alice', 'patch', Namespaces)).toBe(false);
      expect(await canI('alice', 'update', Namespaces)).toBe(false);
    });
  });

  describe('the catalogue', () => {
    test.each<[Person]>([['alice'], ['rita'], ['nobody']])('is readable for %s', async (person) => {
      const offeredPlans = await gateway.as(person).resource(plans).list();
      const releases = await gateway.as(person).resource(kubernetesReleases).list();

      expect(offeredPlans.items.map(({ metadata }) => metadata.name)).toEqual(['free', 'standard']);
      expect(releases.items.length).toBeGreaterThan(0);
    });

    test.each(CHANGE)('can be changed only by the operator: %s', async (verb) => {
      expect(await canI('alice', verb, plans)).toBe(false);
      expect(await canI('alice', verb, kubernetesReleases)).toBe(false);
      expect(await canI('operator', verb, plans)).toBe(true);
    });

    test('is not readable anonymously', async () => {
      const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

      expect((await gateway.call(anonymous, 'GET', `/apis/${API_VERSION}/plans`)).status).toBe(403);
    });
  });

  test('lets tenants delete a Machine, but not create one', async () => {
    const machine = {
      apiVersion: API_VERSION,
      kind: machines.kind,
      metadata: { name: 'm1', namespace: TEAM },
      spec: {
        clusterName: 'demo',
        nodePoolName: 'general',
        flavor: 'b3-8',
        image: 'i',
        version: '1.34.2',
        floatingIP: false,
      },
    };
    const { client } = gateway.gateway;
    await expect(gateway.as('alice').resource(machines).create(machine)).rejects.toMatchObject({ code: 403 });
    await client.resource(machines).create(machine);
    await gateway.as('alice').resource(machines).delete('m1', { namespace: TEAM });

    await expect(client.resource(machines).get('m1', { namespace: TEAM })).rejects.toMatchObject({ code: 404 });
  });
});
