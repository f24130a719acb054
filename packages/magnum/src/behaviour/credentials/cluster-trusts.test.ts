import { CREDENTIAL_KEYS, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { silentLogger } from '@fairway/base/log';
import { TestGateway, UNKNOWN_CLOUD_TEAM } from '@fairway/gateway/testing/test-gateway';
import { ResourceQuotas, RoleBindings, Roles, Secrets } from '@fairway/kube/kinds/resources';
import { Cloud } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../caller.ts';
import { ClusterTrusts, EXPIRY_ANNOTATION, TRUST_LABEL } from '../../credentials/cluster-trusts.ts';
import { OrphanedCredentialGC } from '../../credentials/orphaned-credential-gc.ts';

const ELEVEN_MINUTES_MS = 11 * 60_000;

/** `other` is the tenant; the `simulator` entry is Fairway's own user. */
describe('the credential of a cluster', () => {
  let gateway: TestGateway;
  let tenant: OpenStackClient;
  let clouds: Cloud[];
  let trusts: ClusterTrusts;
  let caller: Caller;
  let nowMs: number;
  beforeEach(async () => {
    gateway = await TestGateway.start();
    await gateway.populate();
    nowMs = gateway.clock.now();
    const yaml = new CloudsYaml({
      env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
      cwd: '/',
      home: '/',
      readFile: (path) => (path === '/clouds.yaml' ? gateway.cloud.cloudsYaml() : undefined),
    });
    clouds = [];
    const open = (entry: string) => {
      const cloud = new Cloud({
        config: yaml.get(entry),
        clock: gateway.clock,
        random: Math.random,
        readFile: () => '',
      });
      clouds.push(cloud);
      return cloud;
    };
    tenant = open('simulator-other').client();
    const operator = open('simulator');
    trusts = new ClusterTrusts({
      cloud: operator,
      clock: gateway.clock,
      random: Math.random,
    });
    const { token } = await tenant.session.token();
    caller = {
      user: { username: 'alice', groups: [] },
      userId: token.user.id,
      project: { id: token.project?.id ?? '', name: 'other' },
      namespace: UNKNOWN_CLOUD_TEAM,
      roles: [],
    };
  });
  afterEach(async () => {
    for (const cloud of clouds) await cloud.close();
    await gateway.close();
  });

  const call = () => ({ client: gateway.as('alice'), caller });
  const sweep = (project = caller.project.id) =>
    new OrphanedCredentialGC({
      client: gateway.gateway.client,
      cloud: clouds[1] as Cloud,
      projectOfNamespace: () => project,
      clock: { now: () => nowMs },
      log: silentLogger,
    }).sweep();
  const credential = (name: string) =>
    gateway.as('operator').resource(cloudCredentials).get(name, { namespace: UNKNOWN_CLOUD_TEAM });
  const credentials = async () =>
    (await gateway.as('operator').resource(cloudCredentials).list({ namespace: UNKNOWN_CLOUD_TEAM })).items;
  async function trustIdOf(secret: string) {
    const { data } = await gateway.as('operator').resource(Secrets).get(secret, { namespace: UNKNOWN_CLOUD_TEAM });
    return Buffer.from(data?.[CREDENTIAL_KEYS.trustId] ?? '', 'base64').toString();
  }
  const token = async () => (await tenant.session.token()).id;
  /** Expects that the credential remains until a pass finds its trust and deletes the credential with the trust. */
  async function expectToBeRevoked() {
    const [remaining] = await credentials();
    expect(remaining?.metadata.deletionTimestamp).toBeUndefined();

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();

    expect(await trustIdOf(remaining?.spec.secretRef.name ?? '')).toBe((await tenant.identity.trustsGiven())[0]?.id);
    expect((await credential(remaining?.metadata.name ?? '')).metadata.deletionTimestamp).toBeDefined();
  }

  test('holds a trust that impersonates the cluster’s creator, with the necessary roles', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });

    const created = await credential(name);
    expect(created.metadata.annotations).not.toHaveProperty('fairway.dev/paused');
    expect(created.spec).toMatchObject({ cloud: 'simulator', reclaimPolicy: 'Delete' });
    const [trust] = await tenant.identity.trustsGiven();
    expect(trust).toMatchObject({ impersonation: true, project_id: caller.project.id });
    expect(trust?.roles.map((role) => role.name).sort()).toEqual(['member', 'reader']);
    expect(await trustIdOf(created.spec.secretRef.name)).toBe(trust?.id);
    expect(Date.parse(trust?.expires_at ?? '')).toBe(
      Date.parse(created.metadata.annotations?.[EXPIRY_ANNOTATION] ?? ''),
    );
  });

  test.each([
    { reason: 'an application credential', status: 403 },
    { reason: 'nobody', status: 403 },
  ])('is refused for a token of $reason, with advice', async ({ reason, status }) => {
    const unsuitableToken = reason === 'nobody' ? 'gAAAAnothing' : await credentialToken();
    const creation = trusts.createCredential(call(), { clusterName: 'demo', token: unsuitableToken });

    await expect(creation).rejects.toMatchObject({
      status,
      message: expect.stringMatching(/fairway credential create default/),
    });
    expect((await credentials()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
    expect(await tenant.identity.trustsGiven()).toEqual([]);
  });

  async function credentialToken() {
    const { id, secret } = await tenant.identity.createApplicationCredential({ name: 'pipeline' });
    const [cloud] = clouds;
    return (await (cloud as Cloud).client({ kind: 'applicationCredential', id, secret }).session.token()).id;
  }

  test('is deleted with its trust after a crash', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    await sweep();
    expect(await credentials()).toHaveLength(1);

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();

    expect((await credential(name)).metadata.deletionTimestamp).toBeDefined();
  });

  test('is deleted after a crash even if its trust was not recorded', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    const created = await credential(name);
    const secret = created.spec.secretRef.name;
    await gateway
      .as('alice')
      .resource(Secrets)
      .update({ metadata: { name: secret, namespace: UNKNOWN_CLOUD_TEAM } });
    expect(await trustIdOf(secret)).toBe('');

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();

    // The controller that revokes the trust does not run here, so the finalizer keeps the object.
    expect((await credential(name)).metadata.deletionTimestamp).toBeDefined();
    expect(await trustIdOf(secret)).toBe((await tenant.identity.trustsGiven())[0]?.id);
  });

  test('never gets the trust of another project, regardless of its annotation', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    const secret = (await credential(name)).spec.secretRef.name;
    await gateway
      .as('alice')
      .resource(Secrets)
      .update({ metadata: { name: secret, namespace: UNKNOWN_CLOUD_TEAM } });

    nowMs += ELEVEN_MINUTES_MS;
    await sweep('another project');

    expect(await trustIdOf(secret)).toBe('');
  });

  test('gets no trust if another credential has the same expiry, because that credential’s trust must not be revoked', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    const { metadata, spec } = await credential(name);
    const copy = {
      name: 'copy',
      namespace: UNKNOWN_CLOUD_TEAM,
      labels: metadata.labels,
      annotations: metadata.annotations,
    };
    const otherUser = gateway.as('alice');
    await otherUser
      .resource(Secrets)
      .create({ metadata: { name: 'copy', namespace: UNKNOWN_CLOUD_TEAM }, stringData: { note: 'empty' } });
    await otherUser.resource(cloudCredentials).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: cloudCredentials.kind,
      metadata: { ...copy, finalizers: ['fairway.dev/test'] },
      spec: { ...spec, secretRef: { name: 'copy' } },
    } as never);
    const value = { status: { phase: 'Bound' } };
    await gateway.gateway.client
      .resource(cloudCredentials)
      .patch(name, { type: 'merge', value }, { namespace: UNKNOWN_CLOUD_TEAM, subresource: 'status' });

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();

    expect(await trustIdOf('copy')).toBe('');
    expect(await trustIdOf(spec.secretRef.name)).toBe((await tenant.identity.trustsGiven())[0]?.id);
  });

  test('remains, if its Secret cannot be written, until its trust is found', async () => {
    const roles = gateway.as('operator').resource(RoleBindings);
    await roles.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'writes-once', namespace: UNKNOWN_CLOUD_TEAM },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writes-once' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'willy' }],
    });
    await gateway
      .as('operator')
      .resource(Roles)
      .create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'writes-once', namespace: UNKNOWN_CLOUD_TEAM },
        rules: [
          { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
          { apiGroups: ['fairway.dev'], resources: ['cloudcredentials'], verbs: ['*'] },
        ],
      });
    const client = gateway.as({ username: 'willy', groups: ['system:authenticated'] });
    const creation = trusts.createCredential({ client, caller }, { clusterName: 'demo', token: await token() });
    await expect(creation).rejects.toMatchObject({ code: 403 });
    await expectToBeRevoked();
  });

  test('remains, if the response to the trust’s creation was lost, until its trust is found', async () => {
    gateway.cloud.faults.add({
      method: 'POST',
      path: 'OS-TRUST/trusts$',
      action: { kind: 'drop', when: 'after' },
    });
    const creation = trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    await expect(creation).rejects.toMatchObject({ status: 503 });
    await expectToBeRevoked();
  });

  test('shares a single trust list request with all other credentials in a pass', async () => {
    gateway.cloud.faults.add({
      method: 'POST',
      path: 'OS-TRUST/trusts$',
      times: 3,
      action: { kind: 'answer', status: 500, when: 'after' },
    });
    for (let i = 0; i < 3; i++)
      await expect(
        trusts.createCredential(call(), { clusterName: 'demo', token: await token() }),
      ).rejects.toMatchObject({
        status: 503,
      });
    const listCalls: string[] = [];
    const stop = gateway.cloud.calls.onReceived(({ method, path }) => {
      if (method === 'GET' && path.includes('OS-TRUST/trusts')) listCalls.push(path);
    });

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();
    stop();

    expect(listCalls).toHaveLength(1);
    expect((await credentials()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
  });

  test('is not created if Fairway’s own login fails', async () => {
    const own = await token();
    gateway.cloud.faults.add({
      method: 'POST',
      path: 'auth/tokens$',
      times: null,
      action: { kind: 'answer', status: 501 },
    });
    await expect(trusts.createCredential(call(), { clusterName: 'demo', token: own })).rejects.toMatchObject({
      status: 503,
    });
    expect(await credentials()).toEqual([]);
  });

  test('leaves no Secret behind if its creation is refused', async () => {
    const quota = { hard: { 'count/cloudcredentials.fairway.dev': '0' } };
    await gateway
      .as('operator')
      .resource(ResourceQuotas)
      .create({ metadata: { name: 'none', namespace: UNKNOWN_CLOUD_TEAM }, spec: quota });
    const before = (await gateway.as('operator').resource(Secrets).list({ namespace: UNKNOWN_CLOUD_TEAM })).items
      .length;

    await expect(trusts.createCredential(call(), { clusterName: 'demo', token: await token() })).rejects.toMatchObject({
      code: 403,
    });

    const { items } = await gateway.as('operator').resource(Secrets).list({ namespace: UNKNOWN_CLOUD_TEAM });
    expect(items).toHaveLength(before);
  });

  test('is left alone if a cluster uses it, or if it is the tenant’s own', async () => {
    const { name } = await trusts.createCredential(call(), { clusterName: 'demo', token: await token() });
    const value = { status: { phase: 'Bound' } };
    await gateway.gateway.client
      .resource(cloudCredentials)
      .patch(name, { type: 'merge', value }, { namespace: UNKNOWN_CLOUD_TEAM, subresource: 'status' });
    const other = await trusts.createCredential(call(), { clusterName: 'own', token: await token() });
    const own = { metadata: { labels: { [TRUST_LABEL]: null } } };
    await gateway.gateway.client
      .resource(cloudCredentials)
      .patch(other.name, { type: 'merge', value: own }, { namespace: UNKNOWN_CLOUD_TEAM });

    nowMs += ELEVEN_MINUTES_MS;
    await sweep();

    expect(await credentials()).toHaveLength(2);
  });
});
