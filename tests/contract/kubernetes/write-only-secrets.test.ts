import type { Transport } from '@fairway/kube/client/transport';
import { ClusterRoles, RoleBindings, Secrets } from '@fairway/kube/kinds/resources';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const VALUE = Buffer.from('nobody-reads-this').toString('base64');

/** Why `fairway-member` has only `create` and `update` on Secrets: the other verbs return the stored data. */
describeServers('permissions on Secrets', (server) => {
  let namespace: string;
  let path: string;
  beforeAll(async () => {
    namespace = await server().namespace();
    path = `/api/v1/namespaces/${namespace}/secrets`;
  });

  /** A user with these verbs on Secrets in the namespace. */
  async function userAllowedTo(...verbs: string[]): Promise<Transport> {
    const name = server().name('may');
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs }];
    await server().client.resource(ClusterRoles).create({ metadata: { name }, rules });
    await server()
      .client.resource(RoleBindings)
      .create({
        metadata: { name, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
      });
    return server().as(name);
  }

  async function secret(spec: object = {}): Promise<string> {
    const name = server().name('secret');
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: { key: VALUE }, ...spec };
    await server().client.resource(Secrets).create(body);
    return name;
  }

  it.each<[string, string, string, object, string]>([
    ['patch', 'PATCH', '', {}, 'application/merge-patch+json'],
    ['patch', 'PATCH', '?dryRun=All', {}, 'application/strategic-merge-patch+json'],
    ['delete', 'DELETE', '?dryRun=All&propagationPolicy=Foreground', {}, 'application/json'],
  ])('let a user who may %s a Secret read it: %s %s', async (verb, method, query, body, type) => {
    const name = await secret();
    const headers = { 'content-type': type };
    const options = { headers, body: method === 'DELETE' ? undefined : body };
    const response = await server().raw(
      method as 'PATCH',
      `${path}/${name}${query}`,
      options,
      await userAllowedTo(verb),
    );

    expect(response.status).toBeLessThan(300);
    expect(response.text).toContain(VALUE);
  });

  it('do not let a user who may only create and update a Secret read it', async () => {
    const writer = await userAllowedTo('create', 'update');
    const name = await secret();
    const immutable = await secret({ immutable: true });
    const put = (of: string, more: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: of }, ...more });
    const json = { 'content-type': 'application/json' };
    const responses = [
      await server().raw('GET', `${path}/${name}`, {}, writer),
      await server().raw('GET', path, {}, writer),
      await server().raw('POST', path, { headers: json, body: put(name, {}) }, writer),
      await server().raw('PUT', `${path}/${name}?dryRun=All`, { headers: json, body: put(name, {}) }, writer),
      await server().raw('PUT', `${path}/${immutable}`, { headers: json, body: put(immutable, {}) }, writer),
      await server().raw(
        'PATCH',
        `${path}/${name}`,
        { headers: { 'content-type': 'application/apply-patch+yaml' }, body: put(name, {}) },
        writer,
      ),
      await server().raw('DELETE', `${path}/${name}?dryRun=All`, {}, writer),
      await server().raw('DELETE', `${path}?dryRun=All`, {}, writer),
    ];

    expect(responses.map(({ status }) => status)).toEqual([403, 403, 409, 200, 422, 403, 403, 403]);
    for (const { text } of responses) expect(text).not.toContain(VALUE);
  });

  it('let a user who may update a Secret replace its value without reading it', async () => {
    const name = await secret();
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { key: 'second' } };
    const headers = { 'content-type': 'application/json' };
    const response = await server().raw('PUT', `${path}/${name}`, { headers, body }, await userAllowedTo('update'));
    const stored = await server().client.resource(Secrets).get(name, { namespace });

    expect(response.status).toBe(200);
    expect(stored.data).toEqual({ key: Buffer.from('second').toString('base64') });
  });
});
