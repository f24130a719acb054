import type { Json } from '@fairway/kube/object/meta';
import type { Definitions } from '../schema/schema.ts';
import type { ResourceDefinition } from '../server/resource.ts';
import { componentsOf } from './components.ts';
import { allPaths, type Method, type Operation, type Path, STATUS_TEXTS } from './operations.ts';
import { definitionV2 } from './published-schema.ts';

export interface DocumentV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItemV2>>;
  readonly definitions: Readonly<Record<string, JsonRecord>>;
}

export type JsonRecord = Readonly<Record<string, Json>>;

export type PathItemV2 = { readonly [method in Method]?: OperationV2 | undefined } & {
  readonly parameters: readonly JsonRecord[];
};

export interface OperationV2 {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemes: readonly string[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly JsonRecord[];
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly schema?: JsonRecord | undefined }>
  >;
  readonly 'x-kubernetes-action'?: string | undefined;
  readonly 'x-kubernetes-group-version-kind'?: Json | undefined;
}

/** The OpenAPI v2 document for everything that a server serves. */
export function documentV2(resources: readonly ResourceDefinition[], definitions: Definitions): DocumentV2 {
  const paths = allPaths(resources);
  const components = componentsOf(resources, definitions);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(paths.map((path) => [path.path, pathItem(path)])),
    definitions: Object.fromEntries(Array.from(components, ([name, schema]) => [name, definitionV2(schema)])),
  };
}

function pathItem({ operations, pathParameters }: Path): PathItemV2 {
  const parameters = pathParameters.map(({ name, description }) => ({
    name,
    in: 'path',
    description,
    required: true,
    type: 'string',
    uniqueItems: true,
  }));
  const methods = operations.map((each) => [each.method, operation(each)] as const);
  return { ...(Object.fromEntries(methods) as Partial<Record<Method, OperationV2>>), parameters };
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
}: Operation): OperationV2 {
  const responses = codes.map((code) => [
    String(code),
    {
      description: STATUS_TEXTS[code],
      ...(response !== undefined && { schema: { $ref: `#/definitions/${response}` } }),
    },
  ]);
  const bodies = body === undefined ? [] : [bodyParameter(body, action !== 'delete' && action !== 'deletecollection')];
  return {
    operationId: id,
    description,
    tags: [tag],
    schemes: ['https'],
    consumes: patchTypes ?? ['*/*'],
    produces: ['application/json'],
    parameters: [
      ...bodies,
      ...parameters.map(({ name, type, description: text }) => ({
        name,
        in: 'query',
        description: text,
        type,
        uniqueItems: true,
      })),
    ],
    responses: { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...kind },
  };
}

function bodyParameter(definition: string, isRequired: boolean): JsonRecord {
  const schema = { $ref: `#/definitions/${definition}` };
  return { name: 'body', in: 'body', schema, ...(isRequired && { required: true }) };
}
