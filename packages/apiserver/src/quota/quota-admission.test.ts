import { beforeEach, describe, expect, it } from 'vitest';
import { ALL_KINDS } from '../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../kinds/definitions.ts';
import { TestServer } from '../server/test-server.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { resourceQuotaAdmission } from './quota-admission.ts';
import { QuotaLedger } from './quota-ledger.ts';

const NAMESPACE = '/api/v1/namespaces/default';

let server: TestServer;
beforeEach(async () => {
  const store = new MemoryStore();
  const ledger = new QuotaLedger(store);
  server = new TestServer({
    store,
    resources: ALL_KINDS,
    definitions: builtinDefinitions(),
    admission: [resourceQuotaAdmission(() => server.server.reader, ledger)],
  });
  await server.namespace();
});

async function quota(hard: object, spec: object = {}): Promise<void> {
  const reply = await server.call('POST', `${NAMESPACE}/resourcequotas`, {
    metadata: { name: 'quota' },
    spec: { hard, ...spec },
  });
  expect(reply.status).toBe(201);
}

function post(plural: string, name: string, object: object = {}, query = '') {
  return server.call('POST', `${NAMESPACE}/${plural}${query}`, { metadata: { name }, ...object });
}

function pod(resources: object = {}, spec: object = {}) {
  return { spec: { containers: [{ name: 'main', image: 'a', resources }], ...spec } };
}

const requests = (cpu: string) => ({ requests: { cpu } });

describe('a quota', () => {
  it.each<[string, object, string, object, number]>([
    ['count/secrets', { 'count/secrets': '2' }, 'secrets', {}, 2],
    ['secrets', { secrets: '2' }, 'secrets', {}, 2],
    ['configmaps', { configmaps: 1 }, 'configmaps', {}, 1],
    ['pods', { pods: 3 }, 'pods', pod(), 3],
    ['requests.cpu', { 'requests.cpu': '1' }, 'pods', pod(requests('400m')), 2],
    ['cpu', { cpu: '1' }, 'pods', pod(requests('400m')), 2],
    ['limits.memory', { 'limits.memory': '1Gi' }, 'pods', pod({ limits: { memory: '512Mi' } }), 2],
    ['services', { services: 1 }, 'services', { spec: { ports: [{ port: 80 }] } }, 1],
    [
      'services.loadbalancers',
      { 'services.loadbalancers': 1 },
      'services',
      { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
      1,
    ],
    [
      'requests.storage',
      { 'requests.storage': '10Gi' },
      'persistentvolumeclaims',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '4Gi' } } } },
      2,
    ],
  ])('is enforced for eight concurrent requests: %s', async (_, hard, plural, object, most) => {
    await quota(hard);
    const names = Array.from({ length: 8 }, (_unused, index) => `n${index}`);
    const replies = await Promise.all(names.map((name) => post(plural, name, object)));

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(most);
    const refused = replies.find(({ status }) => status === 403);
    expect(refused?.body.message).toContain('is forbidden: exceeded quota: quota, requested: ');
    expect((await server.list(`${NAMESPACE}/${plural}`)).body.items).toHaveLength(most);
  });

  it('reports requested, used and limited amounts', async () => {
    await quota({ 'requests.cpu': '1', pods: '5' });
    await post('pods', 'one', pod(requests('600m')));
    const { status, body } = await post('pods', 'two', pod(requests('500m')));

    expect(status).toBe(403);
    expect(body.message).toBe(
      'pods "two" is forbidden: exceeded quota: quota, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  it('requires containers to set requests if it limits them', async () => {
    await quota({ 'requests.cpu': '1' });
    expect((await post('pods', 'silent', pod())).body.message).toBe(
      'pods "silent" is forbidden: failed quota: quota: must specify requests.cpu for: main',
    );
  });

  it('frees usage on deletion', async () => {
    await quota({ secrets: 1 });
    await post('secrets', 'a');
    expect((await post('secrets', 'b')).status).toBe(403);
    await server.call('DELETE', `${NAMESPACE}/secrets/a`);
    expect((await post('secrets', 'b')).status).toBe(201);
  });

  it('applies to updates that increase usage, and allows other updates even if it is exceeded', async () => {
    await quota({ 'services.loadbalancers': 0 });
    await post('services', 'web', { spec: { ports: [{ port: 80 }] } });
    const patch = (spec: object) =>
      server.call('PATCH', `${NAMESPACE}/services/web`, { spec }, { 'content-type': 'application/merge-patch+json' });
    expect((await patch({ type: 'LoadBalancer' })).status).toBe(403);
    expect((await patch({ sessionAffinity: 'ClientIP' })).status).toBe(200);
  });

  it('counts only within its scopes', async () => {
    await quota({ pods: 1 }, { scopes: ['Terminating'] });
    const short = pod({}, { activeDeadlineSeconds: 60 });
    expect((await post('pods', 'a', short)).status).toBe(201);
    expect((await post('pods', 'b', short)).status).toBe(403);
    expect((await post('pods', 'c', pod())).status).toBe(201);
  });

  it('counts pods with affinity to other namespaces', async () => {
    await quota(
      { pods: 1 },
      { scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
    );
    const near = (term: object) =>
      pod(
        {},
        {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a' } }, ...term },
              ],
            },
          },
        },
      );
    expect((await post('pods', 'a', near({ namespaces: ['other'] }))).status).toBe(201);
    expect((await post('pods', 'b', near({ namespaceSelector: {} }))).status).toBe(403);
    expect((await post('pods', 'c', near({}))).status).toBe(201);
  });

  it('checks a dry run like a real request, without counting it', async () => {
    await quota({ secrets: 1 });
    expect((await post('secrets', 'a', {}, '?dryRun=All')).status).toBe(201);
    expect((await post('secrets', 'a')).status).toBe(201);
    expect((await post('secrets', 'b', {}, '?dryRun=All')).status).toBe(403);
  });

  it('does not affect other namespaces', async () => {
    await quota({ secrets: 0 });
    await server.namespace('other');
    const elsewhere = await server.call('POST', '/api/v1/namespaces/other/secrets', { metadata: { name: 'a' } });
    expect(elsewhere.status).toBe(201);
  });
});
