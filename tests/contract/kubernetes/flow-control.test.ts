import { MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from '@fairway/apiserver/flow-control/standard-objects';
import { AUTOUPDATE } from '@fairway/apiserver/flow-control/upkeep-steps';
import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PolicyRulesWithSubjects,
} from '@fairway/kube/kinds/generated/types';
import { FlowSchemas, PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { expect, it } from 'vitest';
import type { RawResponse } from './contract-server.ts';
import { describeServers } from './targets.ts';

const API = '/apis/flowcontrol.apiserver.k8s.io/v1';
const ANY_PATH = { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] };
const SENTENCE = 'Too many requests, please try again later.';

function uidsOf({ headers }: RawResponse) {
  return [headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']];
}

describeServers('priority and fairness', (server, target) => {
  // Earlier releases have other default objects.
  const isCurrent = target.minor >= 34;
  const schemas = () => server().client.resource(FlowSchemas);
  const levels = () => server().client.resource(PriorityLevelConfigurations);

  /** Assigns the user with this name to the level with the same name. */
  function createSchema(name: string, matchingPrecedence: number, requests: Omit<PolicyRulesWithSubjects, 'subjects'>) {
    const rules = [{ subjects: [{ kind: 'User', user: { name } }], ...requests }];
    const spec = { priorityLevelConfiguration: { name }, matchingPrecedence, rules };
    return schemas().create({ metadata: { name }, spec });
  }

  /** Creates a level, and a schema that assigns the user with this name to it; resolves once both are in effect. */
  async function register(name: string, limited: LimitedPriorityLevelConfiguration) {
    const level = await levels().create({ metadata: { name }, spec: { type: 'Limited', limited } });
    const schema = await createSchema(name, 300, {
      resourceRules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version', '/logs/*'] }],
    });
    const uids = [schema.metadata.uid, level.metadata.uid];
    await expect.poll(async () => uidsOf(await send(name, '/version'))).toEqual(uids);
    return uids;
  }

  async function send(user: string, path: string): Promise<RawResponse> {
    return server().raw('GET', path, { headers: { 'impersonate-user': user } });
  }

  /** The UIDs of a schema and of its level. */
  async function schemaUidOf(name: string) {
    const schema = await schemas().get(name);
    const level = await levels().get(schema.spec.priorityLevelConfiguration.name);
    return [schema.metadata.uid, level.metadata.uid];
  }

  it.runIf(isCurrent)('keeps the objects that every cluster has', async () => {
    const annotations = { [AUTOUPDATE]: 'true' };
    for (const expected of [...MANDATORY_OBJECTS.flowSchemas, ...SUGGESTED_OBJECTS.flowSchemas]) {
      const { name = '' } = expected.metadata;
      const isFound = (schema: FlowSchema) => schema.status?.conditions?.[0]?.reason === 'Found';
      const schema = await eventuallyObject(schemas(), { name }, isFound);
      const level = expected.spec.priorityLevelConfiguration.name;
      expect(schema).toMatchObject({ spec: expected.spec, metadata: { annotations, generation: 1 } });
      expect(schema.status?.conditions).toEqual([
        {
          type: 'Dangling',
          status: 'False',
          reason: 'Found',
          message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
          lastTransitionTime: expect.any(String),
        },
      ]);
    }
    for (const expected of [...MANDATORY_OBJECTS.priorityLevels, ...SUGGESTED_OBJECTS.priorityLevels]) {
      expect(await levels().get(expected.metadata.name ?? '')).toMatchObject({
        ...expected,
        metadata: { annotations },
      });
    }
  });

  it.runIf(isCurrent)('prints FlowSchemas in order of precedence', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const headers = { accept };
    const table = (await server().raw('GET', `${API}/flowschemas`, { headers })).json as unknown as {
      columnDefinitions: readonly { readonly name: string }[];
      rows: readonly { readonly cells: readonly unknown[] }[];
    };
    const standard = table.rows.map(({ cells }) => cells).filter(([name]) => !String(name).startsWith('contract'));

    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'PriorityLevel',
      'MatchingPrecedence',
      'DistinguisherMethod',
      'Age',
      'MissingPL',
    ]);
    expect(standard.map(([name, level, precedence, method]) => [name, level, precedence, method])).toEqual([
      ['exempt', 'exempt', 1, '<none>'],
      ['probes', 'exempt', 2, '<none>'],
      ['system-leader-election', 'leader-election', 100, 'ByUser'],
      ['system-node-high', 'node-high', 400, 'ByUser'],
      ['system-nodes', 'system', 500, 'ByUser'],
      ['kube-controller-manager', 'workload-high', 800, 'ByNamespace'],
      ['kube-scheduler', 'workload-high', 800, 'ByNamespace'],
      ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace'],
      ['service-accounts', 'workload-low', 9000, 'ByUser'],
      ['global-default', 'global-default', 9900, 'ByUser'],
      ['catch-all', 'catch-all', 10_000, 'ByUser'],
    ]);
  });

  it.runIf(isCurrent).each([
    { who: 'admin', groups: 'system:masters', path: '/api/v1/nodes', schema: 'exempt' },
    { who: 'anybody', groups: 'team', path: '/livez', schema: 'probes' },
    { who: 'anybody', groups: 'team', path: '/version', schema: 'global-default' },
    { who: 'anybody', groups: 'team', path: '/api/v1/namespaces/a/pods', schema: 'global-default' },
    { who: 'system:kube-scheduler', groups: 'team', path: '/api/v1/pods', schema: 'kube-scheduler' },
    {
      who: 'system:kube-scheduler',
      groups: 'team',
      path: '/apis/coordination.k8s.io/v1/namespaces/a/leases/b',
      schema: 'system-leader-election',
    },
    { who: 'system:node:a', groups: 'system:nodes', path: '/api/v1/nodes/a', schema: 'system-node-high' },
    { who: 'system:node:a', groups: 'system:nodes', path: '/api/v1/pods', schema: 'system-nodes' },
    { who: 'system:serviceaccount:a:b', groups: 'system:serviceaccounts', path: '/api', schema: 'service-accounts' },
    {
      who: 'system:serviceaccount:kube-system:b',
      groups: 'system:serviceaccounts',
      path: '/api/v1/pods',
      schema: 'kube-system-service-accounts',
    },
  ])('classifies $who of $groups at $path with $schema, authorized or not', async ({ who, groups, path, schema }) => {
    const headers = { 'impersonate-user': who, 'impersonate-group': groups };
    await expect
      .poll(async () => uidsOf(await server().raw('GET', path, { headers })))
      .toEqual(await schemaUidOf(schema));
  });

  it.runIf(isCurrent)('classifies by schema: by user, verb, resource, namespace and path', async () => {
    const name = server().name();
    const uids = await register(name, { limitResponse: { type: 'Reject' } });
    const others = await schemaUidOf('global-default');

    expect(uidsOf(await send(name, '/api/v1/namespaces/a/pods'))).toEqual(uids);
    expect(uidsOf(await send(name, '/logs/a/b'))).toEqual(uids);
    // All namespaces, which needs `clusterScope`; another verb; another resource; another path; another user.
    for (const path of ['/api/v1/pods', '/api/v1/namespaces/a/pods/b', '/api/v1/namespaces/a/secrets', '/openapi/v3']) {
      expect(uidsOf(await send(name, path))).toEqual(others);
    }
    expect(uidsOf(await send('somebody', '/version'))).toEqual(others);
  });

  it.runIf(isCurrent)(
    'reports whether the level of a schema exists, and ignores the schema until it does',
    async () => {
      const name = server().name();
      await createSchema(name, 301, ANY_PATH);
      const conditions = async (status: string) =>
        (
          await eventuallyObject(schemas(), { name }, (schema) => schema.status?.conditions?.[0]?.status === status)
        ).status?.conditions?.map(({ type, reason, message }) => [type, reason, message]);
      const reference = `This FlowSchema references the PriorityLevelConfiguration object named "${name}"`;

      expect(await conditions('True')).toEqual([['Dangling', 'NotFound', `${reference} but there is no such object`]]);
      expect(uidsOf(await send(name, '/version'))).toEqual(await schemaUidOf('global-default'));
      await levels().create({
        metadata: { name },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      });
      expect(await conditions('False')).toEqual([['Dangling', 'Found', `${reference} and it exists`]]);
      await expect.poll(async () => uidsOf(await send(name, '/version'))).toEqual(await schemaUidOf(name));
    },
  );

  it.runIf(isCurrent)('queues requests for a quarter of their timeout', async () => {
    const name = server().name();
    const noShares = { nominalConcurrencyShares: 0, borrowingLimitPercent: 0 };
    const queuing = { queues: 4, handSize: 2, queueLengthLimit: 1 };
    await levels().create({
      metadata: { name },
      spec: { type: 'Limited', limited: { ...noShares, limitResponse: { type: 'Queue', queuing } } },
    });
    const level = await levels().get(name);
    await createSchema(name, 302, ANY_PATH);
    const late = () => send(name, '/version?timeout=2s');
    await expect.poll(async () => uidsOf(await late())[1]).toBe(level.metadata.uid);
    const startMs = performance.now();
    const [first, second, third] = await Promise.all([late(), late(), late()]);
    const tookMs = performance.now() - startMs;

    // Two queues of length one.
    for (const response of [first, second, third]) {
      expect([response?.status, Number(response?.headers['retry-after'])]).toEqual([429, expect.toBeOneOf([1, 2])]);
      expect(response?.text).toContain(SENTENCE);
    }
    expect((await send('somebody', '/version')).status).toBe(200);
    expect(tookMs).toBeGreaterThan(450);
    const { text } = await server().raw('GET', '/metrics', { headers: { accept: 'text/plain' } });
    const rejected = (reason: string) =>
      text.includes(
        `apiserver_flowcontrol_rejected_requests_total{flow_schema="${name}",priority_level="${name}",reason="${reason}"}`,
      );
    expect([rejected('time-out'), rejected('queue-full')]).toEqual([true, true]);
  });

  it.runIf(isCurrent)('refuses changes to mandatory objects, except for the exempt level’s shares', async () => {
    const change = (path: string, spec: object) =>
      server().raw('PATCH', `${API}/${path}`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec },
      });

    expect((await change('flowschemas/catch-all', { matchingPrecedence: 9999 })).status).toBe(422);
    expect((await change('prioritylevelconfigurations/catch-all', { limited: { lendablePercent: 1 } })).status).toBe(
      422,
    );
    const shares = { exempt: { nominalConcurrencyShares: 2, lendablePercent: 50 } };
    expect((await change('prioritylevelconfigurations/exempt', shares)).status).toBe(200);
    expect((await levels().get('exempt')).spec).toMatchObject(shares);
  });
});
