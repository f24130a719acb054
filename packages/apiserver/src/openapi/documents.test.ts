import { describe, expect, it } from 'vitest';
import { documentV2 } from './document-v2.ts';
import { openApiDocuments, type PublishedDocument } from './documents.ts';
import { CRONTABS, DEFINITIONS, NODES, REVIEWS } from './fixture.ts';

function parsed(document: PublishedDocument | undefined): Record<string, never> {
  return JSON.parse(Buffer.from(document?.body ?? []).toString()) as Record<string, never>;
}

const definitions = () => DEFINITIONS;
const documents = openApiDocuments([CRONTABS, NODES, REVIEWS], definitions);
const v2 = parsed(documents.v2Json()) as unknown as {
  paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
  definitions: Record<string, { properties: { spec: { properties: Record<string, unknown> } } }>;
};

describe('OpenAPI v2', () => {
  it('contains the paths that the kinds serve', () => {
    const methods = Object.entries(v2.paths).map(([path, item]) => [
      path,
      Object.keys(item)
        .sort((a, b) => (a < b ? -1 : 1))
        .join(' '),
    ]);
    expect(Object.fromEntries(methods)).toEqual({
      '/api/v1/nodes': 'delete get parameters post',
      '/api/v1/nodes/{name}': 'delete get parameters patch put',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': 'parameters post',
      '/apis/stable.example.com/v1/crontabs': 'get parameters',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs': 'delete get parameters post',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}': 'delete get parameters patch put',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale': 'get parameters patch put',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status': 'get parameters patch put',
    });
  });

  it('includes every referenced definition, without v3-only keywords', () => {
    const text = JSON.stringify(v2);
    const named = Array.from(text.matchAll(/"#\/definitions\/([^"]+)"/g), ([, name]) => name ?? '');
    expect(named.filter((name) => !(name in v2.definitions))).toEqual([]);
    expect(v2.definitions['com.example.stable.v1.CronTab']?.properties.spec.properties).toEqual({
      schedule: { type: 'string', pattern: '^[*]', maxLength: 9 },
      policy: { type: 'string', enum: ['Allow', 'Forbid'] },
      replicas: { type: 'integer', format: 'int32', minimum: -1.5 },
      resources: { type: 'object', additionalProperties: { type: 'string' } },
      template: { $ref: '#/definitions/io.x.Template', description: 'What to run.' },
      port: { type: 'string', format: 'int-or-string', 'x-kubernetes-int-or-string': true },
      note: { description: 'May be null.' },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      either: { type: 'object', properties: { a: { type: 'string' } } },
    });
  });

  it('does not list fields of a kind that preserves unknown fields', () => {
    const schema = { type: 'object', description: 'Anything.', 'x-kubernetes-preserve-unknown-fields': true } as const;
    const document = documentV2([{ ...CRONTABS, schema }], DEFINITIONS);

    expect(document.definitions['com.example.stable.v1.CronTab']).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', version: 'v1', kind: 'CronTab' }],
    });
  });

  it('gives every operation a unique ID', () => {
    const ids = Array.from(JSON.stringify(v2).matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('OpenAPI v3', () => {
  it('is found through its index, under URLs with content hashes', () => {
    const index = parsed(documents.v3Index()) as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(index.paths)).toEqual(['apis/stable.example.com/v1', 'api/v1', 'apis/authorization.k8s.io/v1']);
    expect(index.paths['api/v1']?.serverRelativeURL).toBe(`/openapi/v3/api/v1?hash=${documents.v3('api/v1')?.hash}`);
    expect(documents.v3('apis/nothing/v1')).toBeUndefined();
  });

  it('includes what v2 cannot express', () => {
    const document = parsed(documents.v3('apis/stable.example.com/v1')) as unknown as {
      components: { schemas: Record<string, { properties: { spec: { properties: Record<string, unknown> } } }> };
    };
    expect(document.components.schemas['com.example.stable.v1.CronTab']?.properties.spec.properties).toMatchObject({
      schedule: { default: '* * *' },
      template: { description: 'What to run.', allOf: [{ $ref: '#/components/schemas/io.x.Template' }] },
      port: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
      note: { type: 'string', nullable: true },
      either: { oneOf: [{ required: ['a'] }] },
    });
    const named = Array.from(
      JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g),
      ([, name]) => name ?? '',
    );
    expect(named.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  it('declares field validation and dry run', () => {
    const document = parsed(documents.v3('api/v1')) as unknown as typeof v2;
    const names = document.paths['/api/v1/nodes/{name}']?.patch?.parameters.map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });
});

describe('documents', () => {
  it('are shared by servers with the same kinds; v3 documents are shared if the kinds in one group version are the same', () => {
    const resources = [CRONTABS, NODES];
    expect(openApiDocuments(resources, definitions)).toBe(openApiDocuments(resources, definitions));
    const other = openApiDocuments([NODES, REVIEWS], definitions);
    expect(other.v3('api/v1')).toBe(documents.v3('api/v1'));
    expect(other.v3Index().hash).not.toBe(documents.v3Index().hash);
  });

  it('are generated once, including v2 documents while few of them are requested', () => {
    let requests = 0;
    const counting = () => {
      requests++;
      return DEFINITIONS;
    };
    const otherDocuments = openApiDocuments([{ ...NODES, plural: 'others' }], counting);
    expect(otherDocuments.v2Json()).toBe(otherDocuments.v2Json());
    expect(otherDocuments.v2Protobuf()).toBe(otherDocuments.v2Protobuf());
    expect(otherDocuments.v3Index()).toBe(otherDocuments.v3Index());
    expect(otherDocuments.v3('api/v1')).toBe(otherDocuments.v3('api/v1'));
    expect(requests).toBe(3);
    const forgotten = otherDocuments.v2Json();
    for (let index = 0; index < 5; index++) openApiDocuments([{ ...NODES }], definitions).v2Json();
    expect(otherDocuments.v2Json()).not.toBe(forgotten);
    expect(otherDocuments.v2Json().hash).toBe(forgotten.hash);
  });
});
