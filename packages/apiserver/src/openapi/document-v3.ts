import type { Json } from '@fairway/kube/object/meta';
import type { Definitions } from '../schema/schema.ts';
import type { ResourceDefinition } from '../server/resource.ts';
import { componentsOf } from './components.ts';
import { allPaths, type Operation, type Path, STATUS_TEXTS } from './operations.ts';
import { schemaV3 } from './published-schema.ts';

/** The OpenAPI v3 document for one group version. */
export function documentV3(resources: readonly ResourceDefinition[], definitions: Definitions): Json {
  const paths = allPaths(resources);
  const components = componentsOf(resources, definitions);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(paths.map((path) => [path.path, pathItem(path)])),
    components: { schemas: Object.fromEntries(Array.from(components, ([name, schema]) => [name, schemaV3(schema)])) },
  };
}

function pathItem({ operations, pathParameters }: Path): Json {
  const parameters = pathParameters.map(({ name, description }) => ({
    name,
    in: 'path',
    description,
    required: true,
    schema: { type: 'string', uniqueItems: true },
  }));
  return { ...Object.fromEntries(operations.map((each) => [each.method, operation(each)])), parameters };
}

function operation({
  id,
  description,
  tag,
  action,
  kind,
  parameters,
  body,
  response,
  codes,
  patchTypes,
}: Operation): Json {
  const content = (definition: string, types: readonly string[]) =>
    Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${definition}` } }]));
  const responses = codes.map((code) => [
    String(code),
    {
      description: STATUS_TEXTS[code],
      ...(response !== undefined && { content: content(response, ['application/json']) }),
    },
  ]);
  return {
    operationId: id,
    description,
    tags: [tag],
    parameters: parameters.map(({ name, type, description: text }) => ({
      name,
      in: 'query',
      description: text,
      schema: { type, uniqueItems: true },
    })),
    ...(body !== undefined && {
      requestBody: {
        content: content(body, patchTypes ?? ['*/*']),
        ...(action !== 'delete' && { required: true }),
      },
    }),
    responses: { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...kind },
  };
}
