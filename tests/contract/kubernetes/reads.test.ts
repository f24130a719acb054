import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describeServers('reads', (server, target) => {
  let namespace: string;
  let maps: string;

  beforeAll(async () => {
    namespace = await server().namespace();
    maps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const [index, name] of NAMES.entries()) {
      const labels = { index: String(index), parity: index % 2 === 0 ? 'even' : 'odd', ...(index > 2 && { late: '' }) };
      await server().raw('POST', maps, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { name } },
      });
    }
  });

  async function namesOf(query: string): Promise<string[]> {
    const { json } = await server().raw('GET', `${maps}?${query}`);
    return json.items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
  }

  it.each([
    ['parity=even', ['a', 'c', 'e']],
    ['parity==odd', ['b', 'd']],
    ['parity!=odd,index', ['a', 'c', 'e']],
    ['index in (0, 3)', ['a', 'd']],
    ['index notin (0,1,2),late', ['d', 'e']],
    ['index,!late', ['a', 'b', 'c']],
    ['late=', ['d', 'e']],
    ['nothing', []],
  ])('select by labels %s: %j', async (selector, expected) => {
    expect(await namesOf(`labelSelector=${encodeURIComponent(selector)}`)).toEqual(expected);
  });

  it.each([
    ['metadata.name=b', ['b']],
    ['metadata.name!=b,metadata.name!=kube-root-ca.crt', ['a', 'c', 'd', 'e']],
    ['metadata.namespace=elsewhere', []],
  ])('select by fields %s: %j', async (selector, expected) => {
    expect(await namesOf(`fieldSelector=${encodeURIComponent(selector)}`)).toEqual(expected);
  });

  it.each([
    ['spec.unschedulable=false', ['open']],
    ['spec.unschedulable!=false', ['closed']],
    ['spec.unschedulable=', []],
  ])('select an unset field by its default: %s selects %j', async (selector, expected) => {
    for (const [name, spec] of [
      ['open', {}],
      ['closed', { unschedulable: true }],
    ] as const) {
      const labels = { 'of-test': namespace };
      await server().raw('POST', '/api/v1/nodes', {
        body: { apiVersion: 'v1', kind: 'Node', metadata: { name: `${namespace}-${name}`, labels }, spec },
      });
    }
    const query = `labelSelector=of-test%3D${namespace}&fieldSelector=${encodeURIComponent(selector)}`;
    const { json } = await server().raw('GET', `/api/v1/nodes?${query}`);

    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(expected.map((name) => `${namespace}-${name}`));
  });

  interface Refusal {
    readonly query: string;
    readonly code: number;
    readonly message: RegExp;
    readonly since?: number;
  }

  const refusals: readonly Refusal[] = [
    { query: 'labelSelector=a%20in%20b', code: 400, message: /unable to parse requirement|found 'b'/ },
    {
      query: 'fieldSelector=nonsense',
      code: 400,
      message: /^invalid selector: 'nonsense'; can't understand 'nonsense'$/,
    },
    { query: 'fieldSelector=data.name%3Da', code: 400, message: /data\.name/ },
    { query: 'limit=many', code: 400, message: /strconv\.ParseInt: parsing "many": invalid syntax/ },
    { query: 'continue=nonsense', code: 400, message: /continue key is not valid/ },
    {
      query: 'resourceVersion=new',
      code: 400,
      message: /^invalid resource version: .*strconv\.ParseUint: parsing "new": invalid syntax/,
      // 1.31 returns 500.
      since: 34,
    },
    {
      query: 'resourceVersionMatch=Exact',
      code: 422,
      message:
        /^ListOptions\.meta\.k8s\.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided$/,
    },
    {
      query: 'resourceVersionMatch=Exact&resourceVersion=0',
      code: 422,
      message: /resourceVersionMatch "exact" is forbidden for resourceVersion "0"$/,
    },
    {
      query: 'resourceVersionMatch=Near&resourceVersion=1',
      code: 422,
      message: /resourceVersionMatch: Unsupported value: "Near": supported values: "Exact", "NotOlderThan"/,
    },
    { query: 'sendInitialEvents=true', code: 422, message: /sendInitialEvents is forbidden for list$/, since: 31 },
    {
      query: 'watch=true&sendInitialEvents=true',
      code: 422,
      message: /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan$/,
      // Streaming lists are off in 1.31 and 1.33.
      since: 34,
    },
    {
      query: 'watch=true&resourceVersionMatch=Exact&resourceVersion=0',
      code: 422,
      message: /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
      since: 31,
    },
    {
      query: 'resourceVersion=999999999&timeoutSeconds=1',
      code: 504,
      message: /Too large resource version: 999999999, current: \d+$/,
    },
  ];

  it.skipIf(true).for(refusals.filter(({ since = 0 }) => target.minor < since))(
    'refuse ?$query (skipped: not before 1.$since)',
    ({ since }) => expect(target.minor).toBeGreaterThanOrEqual(since ?? 0),
  );

  it.for(refusals.filter(({ since = 0 }) => target.minor >= since))(
    'refuse ?$query with $code',
    async ({ query, code, message }) => {
      const status = await server().refusal('GET', `${maps}?${query}`);

      expect(status.code).toBe(code);
      expect(status.message).toMatch(message);
    },
  );

  it('return pages in order, from a single snapshot, with a count of the remaining objects', async () => {
    const path = `${maps}?limit=2`;
    const first = await server().raw('GET', path);
    await server().raw('DELETE', `${maps}/e`);
    const second = await server().raw(
      'GET',
      `${path}&continue=${encodeURIComponent(first.json.metadata.continue ?? '')}`,
    );
    const third = await server().raw(
      'GET',
      `${path}&continue=${encodeURIComponent(second.json.metadata.continue ?? '')}`,
    );
    await server().raw('POST', maps, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'e' } } });

    expect(first.json.kind).toBe('ConfigMapList');
    expect([first, second, third].map(({ json }) => json.items.map(({ metadata }) => metadata.name))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', ...(target.minor >= 20 ? ['kube-root-ca.crt'] : [])],
    ]);
    expect(first.json.metadata.remainingItemCount).toBe(4);
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect(third.json.metadata).not.toHaveProperty('continue');
  });

  it('return the requested version in a list', async () => {
    const { resourceVersion } = (await server().raw('GET', maps)).json.metadata;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'later' } };
    const later = (await server().raw('POST', maps, { body })).json.metadata.resourceVersion;

    const namesThen = await namesOf(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    const now = await namesOf(`resourceVersion=${later}&resourceVersionMatch=NotOlderThan`);
    await server().raw('DELETE', `${maps}/later`);

    expect([namesThen.includes('later'), now.includes('later')]).toEqual([false, true]);
  });

  it('return tables with columns and rows', async () => {
    const { json } = await server().raw('GET', `${maps}?labelSelector=index%3D0`, { headers: { accept: TABLE } });

    expect(json).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(json.columnDefinitions).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Data', type: 'string', priority: 0 },
      { name: 'Age', type: 'string', priority: 0 },
    ]);
    expect(json.rows).toMatchObject([
      {
        cells: ['a', 1, expect.stringMatching(/^\d+[smh]/)],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
      },
    ]);
  });

  it.each([
    ['None', undefined],
    ['Object', 'ConfigMap'],
  ])('return a table with includeObject=%s that contains %s', async (include, kind) => {
    const path = `${maps}?labelSelector=index%3D0&includeObject=${include}`;

    const { json } = await server().raw('GET', path, { headers: { accept: TABLE } });

    const [row] = json.rows as { object?: { kind?: string } | null }[];
    expect(row?.object?.kind).toBe(kind);
  });

  it('return only metadata on request', async () => {
    const accept = (kind: string) => ({ headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` } });

    const one = await server().raw('GET', `${maps}/a`, accept('PartialObjectMetadata'));
    const many = await server().raw('GET', `${maps}?labelSelector=index%3D0`, accept('PartialObjectMetadataList'));

    expect(one.json).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(one.json).not.toHaveProperty('data');
    expect(many.json).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'a' } }] });
  });

  it.each([
    ['an unknown resource', '/api/v1/widgets', 404, 'application/json'],
    ['an unknown group', '/apis/nothing.example.com/v1/widgets', 404, 'text/plain; charset=utf-8'],
    ['an unknown path', '/nothing', 404, target.minor < 25 ? 'application/json' : 'text/plain; charset=utf-8'],
    ['an unknown subresource', '/api/v1/namespaces/default/configmaps/x/status', 404, 'application/json'],
  ])('return errors for %s (%s): %d, %s', async (_, path, status, contentType) => {
    const response = await server().raw('GET', path);

    expect([response.status, response.headers['content-type']]).toEqual([status, contentType]);
  });

  it.each(['text/html', 'image/png'])('refuse the media type %s', async (accept) => {
    expect(await server().refusal('GET', `${maps}/a`, { headers: { accept } })).toMatchObject({
      code: 406,
      reason: 'NotAcceptable',
    });
  });

  it('return a readable response to clients that exclude Protobuf and accept JSON', async () => {
    const accept = 'application/vnd.kubernetes.protobuf;q=0,application/json';

    expect((await server().raw('GET', `${maps}/a`, { headers: { accept } })).json.kind).toBe('ConfigMap');
  });

  it('list groups, versions and resources in discovery', async () => {
    const groups = (await server().raw('GET', '/apis')).json.groups as { name: string }[];
    const core = (await server().raw('GET', '/api')).json;
    const apps = (await server().raw('GET', '/apis/apps/v1')).json;

    expect(groups.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'apps',
        'batch',
        'rbac.authorization.k8s.io',
        'apiextensions.k8s.io',
        'certificates.k8s.io',
      ]),
    );
    expect(core).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(apps).toMatchObject({ kind: 'APIResourceList', groupVersion: 'apps/v1' });
    expect(apps.resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'deployments',
          singularName: target.minor >= 27 ? 'deployment' : '',
          namespaced: true,
          kind: 'Deployment',
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          shortNames: ['deploy'],
          categories: ['all'],
        }),
        expect.objectContaining({
          name: 'deployments/scale',
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        }),
        expect.objectContaining({ name: 'deployments/status', kind: 'Deployment', verbs: ['get', 'patch', 'update'] }),
      ]),
    );
  });

  it.runIf(target.minor >= 30)('return everything at once in aggregated discovery', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

    const { json, headers } = await server().raw('GET', '/apis', { headers: { accept } });

    expect(json).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    expect(headers.etag).toMatch(/^".+"$/);
    const apps = json.items.find(({ metadata }) => metadata.name === 'apps');
    expect(apps?.versions).toMatchObject([{ version: 'v1', freshness: 'Current' }]);
  });
});
