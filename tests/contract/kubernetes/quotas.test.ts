import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { beforeEach, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

describeServers('quotas', (server, target) => {
  let namespace: string;
  beforeEach(async () => {
    namespace = await server().namespace();
  });

  /** Creates a quota; resolves when its usage is counted and admission enforces it. */
  async function quota(hard: Readonly<Record<string, string>>, spec: object = {}): Promise<void> {
    const body = { metadata: { name: 'quota', namespace }, spec: { hard, ...spec } };
    await server().client.resource(ResourceQuotas).create(body);
    await waitForUsage((used) => expect(Object.keys(used).sort()).toEqual(Object.keys(hard).sort()));
    await isEnforced();
  }

  /**
   * Waits until admission enforces the quotas. It reads them from a cache that sees changes in order: once it enforces
   * a later quota, it enforces the earlier ones too.
   */
  async function isEnforced(): Promise<void> {
    const body = { metadata: { name: 'later', namespace }, spec: { hard: { configmaps: '0' } } };
    await server().client.resource(ResourceQuotas).create(body);
    await waitForUsage((used) => expect(Object.keys(used)).toEqual(['configmaps']), 'later');
    const create = async () => (await post('configmaps?dryRun=All', 'one-too-many', { kind: 'ConfigMap' })).status;
    await expect.poll(create).toBe(403);
  }

  async function waitForUsage(check: (used: Readonly<Record<string, string>>) => void, name = 'quota'): Promise<void> {
    const where = { namespace, name };
    await eventuallyObject(server().client.resource(ResourceQuotas), where, ({ status }) => {
      check(status?.used ?? {});
      return true;
    });
  }

  async function post(plural: string, name: string, object: object = {}) {
    const body = { apiVersion: 'v1', metadata: { name }, ...object };
    const { status, json } = await server().raw('POST', `/api/v1/namespaces/${namespace}/${plural}`, { body });
    return { status, message: String(json['message']).replaceAll(namespace, 'NS') };
  }

  const pod = (resources: object, spec: object = {}) => ({
    kind: 'Pod',
    // A new account's token may not exist yet.
    spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'a', resources }], ...spec },
  });

  // Services are used because no controller creates them in a namespace.
  it('enforce a count for six concurrent creates, and free capacity after a deletion', async () => {
    await quota({ services: '3', 'count/services': '4' });
    const service = { kind: 'Service', spec: { clusterIP: 'None', ports: [{ port: 80 }] } };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const responses = await Promise.all(names.map((name) => post('services', name, service)));

    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(responses.find(({ status }) => status === 403)?.message).toContain(
      'is forbidden: exceeded quota: quota, requested: services=1, used: services=3, limited: services=3',
    );
    await waitForUsage((now) => expect(now).toEqual({ services: '3', 'count/services': '3' }));
    const created = names[responses.findIndex(({ status }) => status === 201)];
    await server().raw('DELETE', `/api/v1/namespaces/${namespace}/services/${created}`);
    await waitForUsage((now) => expect(now).toEqual({ services: '2', 'count/services': '2' }));
    await expect.poll(async () => (await post('services', 'late', service)).status).toBe(201);
  });

  // Earlier releases do not report the containers without requests.
  it.runIf(target.minor >= 25)('require requests for amounts, add them up and report the excess', async () => {
    await quota({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const resources = (cpu: string) => ({ requests: { cpu }, limits: { memory: '256Mi' } });

    expect(await post('pods', 'silent', pod({}))).toEqual({
      status: 403,
      message:
        'pods "silent" is forbidden: failed quota: quota: must specify limits.memory for: main; requests.cpu for: main',
    });
    expect((await post('pods', 'one', pod(resources('600m')))).status).toBe(201);
    expect(await post('pods', 'two', pod(resources('500m')))).toEqual({
      status: 403,
      message:
        'pods "two" is forbidden: exceeded quota: quota, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    });
    await waitForUsage((used) => expect(used).toEqual({ 'requests.cpu': '600m', 'limits.memory': '256Mi' }));
  });

  it('count only objects that match their scope', async () => {
    await quota({ pods: '1' }, { scopes: ['Terminating'] });
    const short = pod({}, { activeDeadlineSeconds: 600 });

    expect((await post('pods', 'a', short)).status).toBe(201);
    expect((await post('pods', 'b', short)).status).toBe(403);
    expect((await post('pods', 'c', pod({}))).status).toBe(201);
    await waitForUsage((used) => expect(used).toEqual({ pods: '1' }));
  });
});
