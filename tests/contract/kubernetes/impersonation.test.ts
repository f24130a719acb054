import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';
/** A header's bytes are UTF-8 to Kubernetes and Latin-1 to Node. */
const asLatin1 = (text: string) => Buffer.from(text).toString('latin1');

/** `kubectl --as`, and proxies in front of an API server. */
describeServers('impersonation', (server, target) => {
  let namespace: string;
  let maps: string;

  beforeAll(async () => {
    namespace = await server().namespace();
    maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const rbac = `${RBAC}/namespaces/${namespace}`;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const body = { apiVersion: `${API_GROUP}/v1`, kind: 'Role', metadata: { name: 'reader' }, rules };
    await server().raw('POST', `${rbac}/roles`, { body });
    await server().raw('POST', `${rbac}/rolebindings`, {
      body: {
        apiVersion: `${API_GROUP}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'readers' },
        roleRef: { apiGroup: API_GROUP, kind: 'Role', name: 'reader' },
        subjects: [
          { apiGroup: API_GROUP, kind: 'Group', name: 'readers' },
          { apiGroup: API_GROUP, kind: 'Group', name: `system:serviceaccounts:${namespace}` },
        ],
      },
    });
  });

  const list = async (headers: Record<string, string>) => (await server().raw('GET', maps, { headers })).status;

  it('grants the impersonated user’s permissions, and drops the caller’s', async () => {
    const groups = { 'Impersonate-User': 'jane', 'Impersonate-Group': 'readers' };
    await expect.poll(() => list(groups)).toBe(200);

    expect(await server().refusal('GET', maps, { headers: { 'Impersonate-User': 'jane' } })).toMatchObject({
      code: 403,
      message: `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
  });

  it('gives a service account its groups', async () => {
    const headers = { 'Impersonate-User': `system:serviceaccount:${namespace}:default` };

    await expect.poll(() => list(headers)).toBe(200);
    expect(await list({ ...headers, 'Impersonate-Group': 'others' })).toBe(403);
  });

  it.each(['root', 'system:serviceaccount:a:b'])('requires the permission to impersonate %s', async (user) => {
    const jane = await server().as('jane');
    const { code, message } = await server().refusal('GET', maps, { headers: { 'Impersonate-User': user } }, jane);

    expect(code).toBe(403);
    // The exact permission differs: since 1.36 there are narrower ones in addition to `impersonate`.
    expect(message).toContain('User "jane" cannot impersonate');
  });

  it('accepts names in all scripts', async () => {
    const headers = { 'Impersonate-User': asLatin1('jürgen 王') };

    expect((await server().refusal('GET', maps, { headers })).message).toContain('User "jürgen 王" cannot list');
  });

  it.skipIf(target.minor < 28)(
    'passes on uid and extra, whose keys are case-insensitive (since 1.28: SelfSubjectReview)',
    async () => {
      const { json } = await server().raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        headers: {
          'Impersonate-User': 'jane',
          'Impersonate-Uid': 'u-1',
          'Impersonate-Extra-Example.com%2fScope': 'r',
        },
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      });

      expect(json.status['userInfo']).toEqual({
        username: 'jane',
        uid: 'u-1',
        groups: ['system:authenticated'],
        extra: { 'example.com/scope': ['r'] },
      });
    },
  );
});
