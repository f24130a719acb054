import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';
import { describeServers } from './targets.ts';

const GROUP = 'strict.example.com';
const WIDGETS = `/apis/${GROUP}/v1/widgets`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HEAD = `apiVersion: ${GROUP}/v1\nkind: Widget\n`;

const text: Schema = { type: 'string' };
const PARTS: Schema = {
  type: 'array',
  items: { type: 'object', properties: { name: text, size: text }, required: ['name'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

function definition(plural: string, kind: string, properties: Record<string, Schema>): CustomResourceDefinition {
  const openAPIV3Schema: Schema = { type: 'object', properties };
  return {
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

async function serve(server: ContractServer, crd: CustomResourceDefinition): Promise<void> {
  await server.client.resource(CustomResourceDefinitions).create(crd);
  const path = `/apis/${GROUP}/v1/${crd.spec.names.plural}`;
  await vi.waitFor(async () => expect((await server.raw('GET', path)).status).toBe(200), { timeout: 300_000 });
}

describeServers('custom resources', (server, target) => {
  it('have an empty cell for a column whose field is missing, even for a date', async () => {
    const ages = definition('ages', 'Age', { ended: text, size: text });
    const additionalPrinterColumns = [
      { name: 'Ended', type: 'date', jsonPath: '.ended' },
      { name: 'Size', type: 'string', jsonPath: '.size' },
    ];
    const versions = ages.spec.versions.map((version) => ({ ...version, additionalPrinterColumns }));
    await serve(server(), { ...ages, spec: { ...ages.spec, versions } });
    const path = `/apis/${GROUP}/v1/ages`;
    const metadata = { name: 'none' };
    await server().raw('POST', path, { body: { apiVersion: `${GROUP}/v1`, kind: 'Age', metadata } });

    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { json } = await server().raw('GET', path, { headers: { accept } });

    expect(json).toMatchObject({ rows: [{ cells: ['none', null, null] }] });
  });

  describe.runIf(target.minor >= 27)('validate strictly (since 1.27)', () => {
    beforeAll(async () => {
      const spec: Schema = { type: 'object', properties: { foo: text, bar: text, parts: PARTS } };
      const freeform: Schema = {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: {
          foo: text,
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            properties: { spec: { type: 'object' } },
          },
        },
      };
      await serve(server(), definition('widgets', 'Widget', { spec, free: freeform }));
    });

    const refusal = (type: string, body: string) => {
      const query = '?fieldValidation=Strict&fieldManager=me';
      return type.startsWith('application/apply')
        ? server().refusal('PATCH', `${WIDGETS}/a${query}`, { headers: { 'content-type': type }, body })
        : server().refusal('POST', `${WIDGETS}${query}`, { headers: { 'content-type': type }, body });
    };
    const APPLY_TYPE = 'application/apply-patch+yaml';
    const failed = `failed to create typed patch object (/a; ${GROUP}/v1, Kind=Widget): `;
    const unhandled = 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: ';

    it.each([
      [
        'an apply with an unknown field',
        APPLY_TYPE,
        `${HEAD}metadata: {name: a}\nwhat: 1`,
        `${failed}.what: field not declared in schema`,
      ],
      [
        'an apply with several unknown fields',
        APPLY_TYPE,
        `${HEAD}metadata: {name: a, what: 1}\nspec: {foo: x, parts: [{name: front, colour: red}]}`,
        [
          `${failed}errors:`,
          '  .metadata.what: field not declared in schema',
          '  .spec.parts[name="front"].colour: field not declared in schema',
        ].join('\n'),
      ],
      [
        'an apply with an unknown field in the metadata of an embedded object',
        APPLY_TYPE,
        `${HEAD}metadata: {name: a}\nfree: {other: 1, template: {apiVersion: v1, kind: Pod, metadata: {what: x}}}`,
        `${failed}.free.template.metadata.what: field not declared in schema`,
      ],
      [
        'an apply with a duplicate field',
        APPLY_TYPE,
        `${HEAD}metadata:\n  name: a\nfree:\n  other: 1\n  foo: x\n  "foo": z\n  other: 2`,
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 8: key "foo" already set in map\n  line 9: key "other" already set in map',
      ],
      [
        'an apply in JSON with a duplicate field',
        APPLY_TYPE,
        `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"a"},\n"spec":{"foo":"x","foo":"y"}}`,
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "foo" already set in map',
      ],
      [
        'a create in YAML with a duplicate and an unknown field',
        'application/yaml',
        `${HEAD}metadata:\n  name: a\nspec:\n  foo: x\n  foo: z\n  what: 1`,
        `${unhandled}yaml: unmarshal errors:\n  line 7: key "foo" already set in map, unknown field "spec.what"`,
      ],
      [
        'a create in JSON with a duplicate and an unknown field',
        'application/json',
        `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"a","what":1},"spec":{"foo":"x","foo":"y"}}`,
        `${unhandled}duplicate field "spec.foo", unknown field "metadata.what"`,
      ],
    ])('refuses %s', async (_, type, body, message) => {
      const refused = await refusal(type, body);

      // Go iterates over maps in random order.
      expect(refused.message?.split('\n').toSorted()).toEqual(message.split('\n').toSorted());
      expect([400, 500], 'a mistake of the client is a 500 to kube-apiserver alone').toContain(refused.code);
    });
  });

  it('may have finalizers without a domain, unlike built-in kinds', async () => {
    await serve(server(), definition('latches', 'Latch', {}));
    const metadata = { name: 'held', finalizers: ['finalizers.example.com'] };
    const latch = { apiVersion: `${GROUP}/v1`, kind: 'Latch', metadata };
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

    expect((await server().raw('POST', `/apis/${GROUP}/v1/latches`, { body: latch })).status).toBe(201);
    expect((await server().raw('POST', '/api/v1/namespaces/default/configmaps', { body: configMap })).status).toBe(422);
  });

  it('get the current defaults when they are read, even if the defaults are not stored', async () => {
    const name = `boxes.${GROUP}`;
    const boxesPath = `/apis/${GROUP}/v1/boxes`;
    const crd = definition('boxes', 'Box', { spec: { type: 'object', properties: { size: text, door: text } } });
    await serve(server(), crd);
    const created = await server().raw('POST', boxesPath, {
      body: { apiVersion: `${GROUP}/v1`, kind: 'Box', metadata: { name: 'old' }, spec: { size: 'L' } },
    });
    const properties = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';

    await server().raw('PATCH', `${CRDS}/${name}`, {
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify(
        ['size', 'door'].map((field) => ({ op: 'add', path: `${properties}/${field}/default`, value: 'M' })),
      ),
    });

    const spec = { size: 'L', door: 'M' };
    const read = async () => (await server().raw('GET', `${boxesPath}/old`)).json;
    await vi.waitFor(async () => expect((await read()).spec).toEqual(spec), { timeout: 300_000 });
    expect((await read()).metadata.resourceVersion, 'as it was').toBe(created.json.metadata.resourceVersion);
    expect((await server().raw('GET', boxesPath)).json.items.map((box) => box.spec)).toEqual([spec]);
    const watchResponse = await server().raw('GET', `${boxesPath}?watch=1&timeoutSeconds=1`);
    expect(JSON.parse(watchResponse.text)).toMatchObject({ type: 'ADDED', object: { spec } });

    const written = await server().raw('PUT', `${boxesPath}/old`, { body: await read() });
    expect(written.json.spec).toEqual(spec);
    expect(written.json.metadata.resourceVersion, 'a write stores them').not.toBe(
      created.json.metadata.resourceVersion,
    );
    const again = await server().raw('PUT', `${boxesPath}/old`, { body: written.json });
    expect(again.json.metadata.resourceVersion, 'once').toBe(written.json.metadata.resourceVersion);
  });

  it('have the default status until one is written, regardless of their creator', async () => {
    const lamps = `/apis/${GROUP}/v1/lamps`;
    const status: Schema = {
      type: 'object',
      default: { seen: -1 },
      properties: { seen: { type: 'integer' }, lit: { type: 'boolean' } },
    };
    const crd = definition('lamps', 'Lamp', { spec: { type: 'object', properties: { size: text } }, status });
    const versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
    await serve(server(), { ...crd, spec: { ...crd.spec, versions } });
    const lamp = { apiVersion: `${GROUP}/v1`, kind: 'Lamp', metadata: { name: 'a' }, spec: { size: 'L' } };

    const dryRun = await server().raw('POST', `${lamps}?dryRun=All`, { body: { ...lamp, status: { seen: 7 } } });
    const created = await server().raw('POST', lamps, { body: { ...lamp, status: { seen: 7 } } });
    const fetched = await server().raw('GET', `${lamps}/a`);
    const watchResponse = await server().raw('GET', `${lamps}?watch=1&timeoutSeconds=1`);
    const again = await server().raw('PUT', `${lamps}/a`, { body: fetched.json });
    const seen = await server().raw('PATCH', `${lamps}/a/status`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"status":{"seen":1,"lit":true}}',
    });

    const statuses = [dryRun, created, fetched, again, seen].map(({ json }) => json['status']);
    expect(statuses).toEqual([{ seen: -1 }, { seen: -1 }, { seen: -1 }, { seen: -1 }, { seen: 1, lit: true }]);
    expect(JSON.parse(watchResponse.text.split('\n')[0] ?? '')).toMatchObject({ object: { status: { seen: -1 } } });
  });

  it('keep conditions as written', async () => {
    await serve(server(), definition('gadgets', 'Gadget', {}));

    const patched = await server().raw('PATCH', `${CRDS}/gadgets.${GROUP}/status`, {
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[{"op":"add","path":"/status/conditions","value":[{"message":"patched"}]}]',
    });

    expect(patched.status).toBe(200);
    const { conditions } = patched.json.status as { conditions: { message: string }[] };
    expect(conditions.filter(({ message }) => message === 'patched')).toEqual([
      expect.objectContaining({ type: '', status: '', message: 'patched' }),
    ]);
  });

  it.runIf(target.minor >= 25)('describe metadata in OpenAPI (since 1.25)', async () => {
    await serve(server(), definition('gizmos', 'Gizmo', { spec: { type: 'object' } }));

    await vi.waitFor(
      async () => {
        const { json } = await server().raw('GET', `/openapi/v3/apis/${GROUP}/v1`);
        expect(json['components']).toMatchObject({
          schemas: {
            'com.example.strict.v1.Gizmo': {
              properties: { metadata: { description: expect.stringMatching(/^Standard object's metadata\./) } },
            },
          },
        });
      },
      { timeout: 300_000 },
    );
  });
});
