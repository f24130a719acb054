import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  dryRunQuery,
  GROUP,
  KUBERNETES,
  MAGNUM,
  type MakeAttempt,
  OPERATORS,
  type OwnedObjects,
  patch,
  post,
  remove,
} from './entry-points/attempts.ts';
import { type Attempt, type Person, type RecordedResponse, TestDeployment } from './entry-points/test-deployment.ts';

/** Whether the cluster's API server accepts Keystone users. */
function isOpen({ status }: Cluster): boolean {
  return status?.keystone !== undefined && isConditionTrue(status.conditions, 'ControlPlaneReady');
}

describe('the entry points of one Fairway', () => {
  let deployment: TestDeployment;
  /** Members of two projects, and a reader of the first project. */
  let alice: OwnedObjects;
  let bob: OwnedObjects;
  let rita: Person;

  beforeAll(async () => {
    deployment = await TestDeployment.open();
    [alice, bob] = await Promise.all([own('simulator', 'harbour'), own('simulator-other', 'lighthouse')]);
    rita = await deployment.personFor('simulator-reader');
  });
  afterAll(() => deployment?.close());

  /** A member with a cluster and a template, both created through Magnum's API. */
  async function own(entry: string, label: string): Promise<OwnedObjects> {
    const person = await deployment.personFor(entry);
    const offered = await deployment.atMagnum(person, { path: '/v1/clustertemplates' });
    const { clustertemplates } = JSON.parse(offered.text) as { clustertemplates: { name: string; uuid: string }[] };
    const offer = clustertemplates.filter(({ name }) => name.endsWith('-free')).at(-1)?.uuid ?? '';
    const template = `mould-of-${label}`;
    const own = {
      coe: 'kubernetes',
      name: template,
      external_network_id: 'public',
      image_id: 'Ubuntu 22.04',
      flavor_id: 'b3-8',
    };
    const created = await Promise.all([
      deployment.atMagnum(
        person,
        post('/v1/clusters', { name: label, cluster_template_id: offer, node_count: 1, flavor_id: 'b3-8' }),
      ),
      deployment.atMagnum(person, post('/v1/clustertemplates', own)),
    ]);
    expect(created.map(({ status, text }) => (status < 300 ? '' : text))).toEqual(['', '']);
    const root = `${GROUP}/namespaces/${person.project}`;
    const first = async <T>(plural: string) => {
      const { text } = await deployment.atKubernetes(person, { path: `${root}/${plural}` });
      return (JSON.parse(text) as { items: T[] }).items[0] as T;
    };
    const { metadata, spec } = await first<Cluster>('clusters');
    const { name: cluster = '', uid: uuid = '' } = metadata;
    const {
      metadata: { name: pool = '' },
    } = await first<NodePool>('nodepools');
    // Users sign in to the cluster with a Keystone token, and their actions are audited.
    const enableAccess = patch(`${root}/clusters/${cluster}`, { spec: { apiServer: { keystone: {}, audit: {} } } });
    expect(await deployment.atKubernetes(person, enableAccess)).toMatchObject({ status: 200 });
    const known = deployment.client(person);
    const { status } = await eventuallyObject(
      known.resource(clusters),
      { namespace: person.project, name: cluster },
      isOpen,
    );
    const keys = await generateKeyPair();
    const csr = await createCertificateRequest({ commonName: label, organizations: [], keys });
    return {
      ...person,
      root,
      label,
      cluster,
      uuid,
      pool,
      template,
      offer,
      csr,
      credential: spec.credentialName ?? '',
      server: status?.url ?? '',
      certificateAuthority: status?.caCertificate ?? '',
    };
  }

  /** Data in a response that belongs to another user and was not in the request. */
  function leakedNames({ text }: RecordedResponse, attempt: Attempt, owned: OwnedObjects): string[] {
    const { userId, project, cluster, label, uuid, template, pool, credential } = owned;
    const serialized = JSON.stringify(attempt);
    const identities = [userId, project, cluster, label, uuid, template, pool, credential].filter(
      (mark) => mark !== '',
    );
    return identities.filter((mark) => text.includes(mark) && !serialized.includes(mark));
  }

  const bothDirections = () => [[alice, bob] as const, [bob, alice] as const];

  describe('Kubernetes', () => {
    test.each(KUBERNETES)('%s', async (_, reader, make) => {
      for (const [owner, otherUser] of bothDirections()) {
        const attempt = make(owner);
        const refused = await deployment.atKubernetes(otherUser, attempt);
        const byCookie = await deployment.atConsole(otherUser, attempt);

        expect([
          refused.status,
          byCookie.status,
          leakedNames(refused, attempt, owner),
          leakedNames(byCookie, attempt, owner),
        ]).toEqual([403, 403, [], []]);
        expect(await deployment.atKubernetes({ token: 'x' }, attempt)).toMatchObject({ status: 401 });
        const own = await deployment.atKubernetes(owner, attempt);
        expect(own.status < 300 ? '' : own.text, 'the owner').toBe('');
      }
      expect((await deployment.atKubernetes(rita, make(alice))).status).toBe(reader);
    });

    test.each(OPERATORS)('%s', async (_, make) => {
      for (const [owner, otherUser] of bothDirections()) {
        const attempt = make(owner);
        for (const person of [otherUser, owner, rita]) {
          expect(await deployment.atKubernetes(person, attempt)).toMatchObject({ status: 403 });
        }
        expect(leakedNames(await deployment.atKubernetes(otherUser, attempt), attempt, owner)).toEqual([]);
      }
    });

    it('does not serve any other kind that other tenants may access', async () => {
      const { text } = await deployment.atKubernetes(alice, { path: GROUP });
      const { resources } = JSON.parse(text) as { resources: { name: string; namespaced: boolean; verbs: string[] }[] };
      const namespacedResources = resources.filter(({ namespaced }) => namespaced);
      for (const { name, verbs } of namespacedResources) {
        const [plural, sub] = name.split('/');
        const one = `${alice.root}/${plural}/${alice.cluster}${sub ? `/${sub}` : ''}`;
        const all = `${alice.root}/${plural}`;
        const attempts = [
          { path: one },
          post(sub ? one : all, {}),
          patch(one),
          remove(one),
          ...(sub ? [] : [{ path: all }, remove(all)]),
        ];
        for (const attempt of attempts) {
          const response = await deployment.atKubernetes(bob, attempt);
          expect([name, verbs, response.status, attempt, leakedNames(response, attempt, alice)]).toEqual([
            name,
            verbs,
            403,
            attempt,
            [],
          ]);
        }
      }
      expect(namespacedResources.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['clusters/kubeconfig', 'nodepools/scale', 'auditevents']),
      );
    });
  });

  /** Results for an owner and a reader at the cluster's API server. */
  describe('the user’s own cluster', () => {
    const POOLS = '/apis/fairway.dev/v1alpha1/nodepools';

    test.each<readonly [what: string, owner: number, reader: number, make: MakeAttempt]>([
      ['list pods', 200, 200, () => ({ path: '/api/v1/pods' })],
      ['list nodes', 200, 403, () => ({ path: '/api/v1/nodes' })],
      ['list Secrets', 200, 403, () => ({ path: '/api/v1/secrets' })],
      ['create a namespace', 201, 403, () => post(`/api/v1/namespaces${dryRunQuery}`, { metadata: { name: 'x' } })],
      ['list pools', 200, 200, () => ({ path: POOLS })],
      ['scale a pool', 200, 403, ({ pool }) => patch(`${POOLS}/${pool}${dryRunQuery}`, { spec: { replicas: 2 } })],
      ['delete a pool', 200, 403, ({ pool }) => remove(`${POOLS}/${pool}${dryRunQuery}`)],
      [
        'delete the definition of pools',
        200,
        403,
        () => remove(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.fairway.dev${dryRunQuery}`),
      ],
    ])('%s', async (_, expected, reader, make) => {
      for (const [owner, otherUser] of bothDirections()) {
        const attempt = make(owner);
        for (const token of [otherUser.token, 'x']) {
          const response = await deployment.atCluster(owner, { token }, attempt);
          expect([response.status, leakedNames(response, attempt, owner)]).toEqual([401, []]);
        }
        expect((await deployment.atCluster(owner, owner, attempt)).status, 'the owner').toBe(expected);
      }
      expect((await deployment.atCluster(alice, rita, make(alice))).status, 'a reader').toBe(reader);
    });
  });

  // The cluster's CAs and credential are rotated at the end.
  describe('Magnum', () => {
    test.each(MAGNUM)('%s', async (_, expected, reader, refused, make) => {
      expect((await deployment.atMagnum(rita, make(alice))).status, 'a reader').toBe(reader);
      for (const [owner, otherUser] of bothDirections()) {
        const attempt = make(owner);
        const response = await deployment.atMagnum(otherUser, attempt);

        expect([response.status, leakedNames(response, attempt, owner)]).toEqual([refused, []]);
        for (const token of ['', 'x'])
          expect(await deployment.atMagnum({ token }, attempt)).toMatchObject({ status: 401 });
        expect((await deployment.atMagnum(owner, attempt)).status, 'the owner').toBe(expected);
      }
    });

    test.each(['clusters', 'clusters/detail', 'clustertemplates', 'clustertemplates/detail', 'stats'])(
      'lists %s only from the user’s own project',
      async (list) => {
        for (const [owner, otherUser] of bothDirections()) {
          const attempt = {
            path: `/v1/${list}`,
            headers: { 'x-project-id': owner.project, 'x-user-id': owner.userId },
          };
          const response = await deployment.atMagnum(otherUser, attempt);

          expect([response.status, leakedNames(response, attempt, owner)]).toEqual([200, []]);
        }
      },
    );
  });

  describe('the console', () => {
    const list = ({ root }: OwnedObjects): Attempt => ({ path: `${root}/clusters` });

    test.each<readonly [what: string, headers: Readonly<Record<string, string>>]>([
      ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
      ['a typed address', { 'sec-fetch-site': 'none' }],
      ['another origin, in a browser that sends only Origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
      ['a frame without an origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ])('refuses a request for %s with only its cookie', async (_, headers) => {
      expect((await deployment.atConsole(alice, { ...list(alice), headers })).status).toBe(401);
      for (const path of ['/console/session', '/console/session/projects', '/console/watches']) {
        const { status } = await deployment.atConsole(alice, { path, headers });
        expect(status === 401 || status === 403 || status === 405).toBe(true);
      }
      expect((await deployment.atConsole(alice, list(alice))).status).toBe(200);
    });

    it('refuses a request with its cookie but without the header that its pages send', async () => {
      const { cookie = '' } = alice.browser;
      const response = await deployment.atKubernetes({ token: 'x' }, { ...list(alice), headers: { cookie } });

      expect(response.status).toBe(401);
    });

    it('does not switch a user to another user’s project', async () => {
      for (const [owner, otherUser] of bothDirections()) {
        const attempt = { method: 'PUT', path: '/console/session/project', body: { id: owner.project } } as const;
        const response = await deployment.atConsole(otherUser, attempt);

        expect([response.status, leakedNames(response, attempt, owner)]).toEqual([401, []]);
        expect((await deployment.atConsole(otherUser, list(otherUser))).status).toBe(200);
      }
    });

    it('does not watch another project', async () => {
      for (const [owner, otherUser] of bothDirections()) {
        const watches = [{ id: 0, path: `${list(owner).path}?watch=true` }];
        const attempt = post('/console/watches', { watches });
        const response = await deployment.atConsole(otherUser, attempt);

        expect(response.text).toContain('"code":403');
        expect(leakedNames(response, attempt, owner)).toEqual([]);
      }
    });
  });

  it('does not record audit events of read-only users, which would displace other events', async () => {
    const selector = 'objectRef.subresource=cloudresources,responseStatus.code!=401,responseStatus.code!=403';
    const { status, text } = await deployment.atKubernetes(alice, {
      path: `${alice.root}/auditevents?fieldSelector=${encodeURIComponent(selector)}`,
    });

    expect([status, (JSON.parse(text) as { items: unknown[] }).items]).toEqual([200, []]);
  });

  it('hides other users’ addresses in audit events, but shows their attempts', async () => {
    const { text } = await deployment.atKubernetes(alice, {
      path: `${alice.root}/auditevents?as=EventList&fieldSelector=user.username=keystone:${bob.userId}`,
    });
    const { items } = JSON.parse(text) as { items: Record<string, unknown>[] };

    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      expect(item['user']).toEqual({ username: `keystone:${bob.userId}` });
      expect(Object.keys(item)).not.toContain('sourceIPs');
    }
    expect(text).not.toContain(bob.project);
  });
});
