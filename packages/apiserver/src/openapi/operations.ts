import type { CustomSubresource, ResourceDefinition } from '../server/resource.ts';
import { definitionNameOf, groupTitle, groupVersionPath, tagOf } from './names.ts';
import {
  DELETE_PARAMETERS,
  FORCE_PARAMETER,
  LIST_PARAMETERS,
  type QueryParameter,
  WRITE_PARAMETERS,
} from './query-parameters.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const STATUS_TEXTS = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

export type SuccessCode = keyof typeof STATUS_TEXTS;

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** One operation, in terms common to both OpenAPI versions. Bodies and responses refer to definitions. */
export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly tag: string;
  readonly parameters: readonly QueryParameter[];
  readonly body: string | undefined;
  readonly response: string | undefined;
  /** Status codes that mean success. */
  readonly codes: readonly SuccessCode[];
  /** Media types of a patch's body; undefined for other operations. */
  readonly patchTypes: readonly string[] | undefined;
}

export interface Path {
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
}

const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Tells clients whether a kind supports strategic merge patches: custom resources don't. */
function patchTypesOf({ custom = false }: ResourceDefinition): readonly string[] {
  return custom ? PATCH_TYPES.filter((type) => !type.includes('strategic')) : PATCH_TYPES;
}

export const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
export const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
export const PATCH = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
export const SCALE = 'io.k8s.api.autoscaling.v1.Scale';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** All paths of all kinds, sorted. */
export function allPaths(resources: readonly ResourceDefinition[]): Path[] {
  return resources.flatMap(pathsOf).sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** All paths of one kind, with its subresources. */
function pathsOf(resource: ResourceDefinition): Path[] {
  const { namespaced, plural, kind } = resource;
  const root = `/${groupVersionPath(resource)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const builder = new OperationBuilder(resource);
  const paths: Path[] = [];
  const add = (path: string, operations: (Operation | undefined)[]) => {
    const present = operations.filter((operation) => operation !== undefined);
    if (present.length > 0) paths.push({ path, pathParameters: pathParameters(path, kind), operations: present });
  };
  add(collection, [builder.list(), builder.create(), builder.deleteCollection()]);
  if (namespaced) add(`${root}/${plural}`, [builder.listAll()]);
  const item = `${collection}/{name}`;
  add(item, [builder.read(), builder.replace(), builder.patch(), builder.delete()]);
  if (resource.hasStatus) add(`${item}/status`, builder.part('status', kindOf(resource), definitionNameOf(resource)));
  if (resource.scale) {
    add(`${item}/scale`, builder.part('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }, SCALE));
  }
  for (const [name, subresource] of Object.entries(resource.subresources ?? {})) {
    add(`${item}/${name}`, builder.custom(name, subresource));
  }
  return paths;
}

function pathParameters(path: string, kind: string): Path['pathParameters'] {
  const parameters: { name: string; description: string }[] = [];
  if (path.includes('{name}')) parameters.push({ name: 'name', description: `name of the ${kind}` });
  if (path.includes('{namespace}')) parameters.push({ name: 'namespace', description: 'object name and auth scope' });
  return parameters;
}

function kindOf({ group, version, kind }: GroupVersionKind): GroupVersionKind {
  return { group, version, kind };
}

/** The distinguishing properties of an operation on a kind. */
interface Details {
  readonly verb: string;
  readonly method: Method;
  readonly action: string;
  readonly description: string;
  readonly parameters?: readonly QueryParameter[];
  readonly body?: string;
  readonly response?: string;
  readonly codes?: readonly SuccessCode[];
  readonly suffix?: string;
  readonly kind?: GroupVersionKind;
}

class OperationBuilder {
  readonly #resource: ResourceDefinition;
  readonly #definition: string;
  readonly #verbs: readonly string[];

  constructor(resource: ResourceDefinition) {
    this.#resource = resource;
    this.#definition = definitionNameOf(resource);
    this.#verbs = resource.verbs ?? ALL_VERBS;
  }

  list(): Operation | undefined {
    const description = `list or watch objects of kind ${this.#resource.kind}`;
    const response = `${this.#definition}List`;
    return this.#build('list', {
      verb: 'list',
      method: 'get',
      action: 'list',
      description,
      parameters: LIST_PARAMETERS,
      response,
    });
  }

  listAll(): Operation | undefined {
    const listed = this.list();
    return listed && { ...listed, id: `${listed.id.replace('Namespaced', '')}ForAllNamespaces` };
  }

  create(): Operation | undefined {
    const { kind } = this.#resource;
    const description = `create ${article(kind)} ${kind}`;
    const definition = this.#definition;
    const codes = [200, 201, 202] as const;
    const details = { description, parameters: WRITE_PARAMETERS, body: definition, answer: definition, codes };
    return this.#build('create', { verb: 'create', method: 'post', action: 'post', ...details });
  }

  deleteCollection(): Operation | undefined {
    const description = `delete collection of ${this.#resource.kind}`;
    const details = {
      description,
      parameters: [...LIST_PARAMETERS.slice(1, -1), ...DELETE_PARAMETERS],
      body: DELETE_OPTIONS,
      answer: STATUS,
    };
    return this.#build('deletecollection', {
      verb: 'deleteCollection',
      method: 'delete',
      action: 'deletecollection',
      ...details,
    });
  }

  read(): Operation | undefined {
    const description = `read the specified ${this.#resource.kind}`;
    return this.#build('get', { verb: 'read', method: 'get', action: 'get', description, response: this.#definition });
  }

  replace(): Operation | undefined {
    const description = `replace the specified ${this.#resource.kind}`;
    const body = this.#definition;
    const details = { description, parameters: WRITE_PARAMETERS, body, answer: body, codes: [200, 201] as const };
    return this.#build('update', { verb: 'replace', method: 'put', action: 'put', ...details });
  }

  patch(): Operation | undefined {
    const description = `partially update the specified ${this.#resource.kind}`;
    const details = {
      description,
      parameters: [...WRITE_PARAMETERS, FORCE_PARAMETER],
      body: PATCH,
      codes: [200, 201] as const,
    };
    return this.#build('patch', {
      verb: 'patch',
      method: 'patch',
      action: 'patch',
      response: this.#definition,
      ...details,
    });
  }

  delete(): Operation | undefined {
    const { kind } = this.#resource;
    const description = `delete ${article(kind)} ${kind}`;
    const details = {
      description,
      parameters: DELETE_PARAMETERS,
      body: DELETE_OPTIONS,
      answer: STATUS,
      codes: [200, 202] as const,
    };
    return this.#build('delete', { verb: 'delete', method: 'delete', action: 'delete', ...details });
  }

  /** A subresource that is read and written like the object: status, scale. */
  part(name: string, kind: GroupVersionKind, response: string): (Operation | undefined)[] {
    const suffix = name.charAt(0).toUpperCase() + name.slice(1);
    const of = `${name} of the specified ${this.#resource.kind}`;
    const common = { kind, suffix, answer: response };
    return [
      this.#build('get', { verb: 'read', method: 'get', action: 'get', description: `read ${of}`, ...common }),
      this.#build('update', {
        verb: 'replace',
        method: 'put',
        action: 'put',
        description: `replace ${of}`,
        parameters: WRITE_PARAMETERS,
        body: response,
        ...common,
      }),
      this.#build('patch', {
        verb: 'patch',
        method: 'patch',
        action: 'patch',
        description: `partially update ${of}`,
        parameters: [...WRITE_PARAMETERS, FORCE_PARAMETER],
        body: PATCH,
        ...common,
      }),
    ];
  }

  /** A subresource with its own kind and behaviour. */
  custom(name: string, { kind, create, get, update }: CustomSubresource): (Operation | undefined)[] {
    const suffix = name.charAt(0).toUpperCase() + name.slice(1);
    const of = `${name} of ${article(this.#resource.kind)} ${this.#resource.kind}`;
    const common = { kind: kindOf(kind), suffix };
    return [
      get && this.#build('', { verb: 'read', method: 'get', action: 'get', description: `read ${of}`, ...common }),
      create &&
        this.#build('', {
          verb: 'create',
          method: 'post',
          action: 'post',
          description: `create ${of}`,
          parameters: WRITE_PARAMETERS,
          codes: [200, 201, 202],
          ...common,
        }),
      update &&
        this.#build('', {
          verb: 'replace',
          method: 'put',
          action: 'put',
          description: `replace ${of}`,
          parameters: WRITE_PARAMETERS,
          ...common,
        }),
    ];
  }

  /** Undefined if the kind does not support the verb; '' stands for a verb that every kind supports. */
  #build(needed: string, details: Details): Operation | undefined {
    if (needed !== '' && !this.#verbs.includes(needed)) return undefined;
    const resource = this.#resource;
    const version = resource.version.charAt(0).toUpperCase() + resource.version.slice(1);
    const scope = resource.namespaced ? 'Namespaced' : '';
    return {
      method: details.method,
      id: `${details.verb}${groupTitle(resource.group)}${version}${scope}${resource.kind}${details.suffix ?? ''}`,
      description: details.description,
      action: details.action,
      kind: details.kind ?? kindOf(resource),
      tag: tagOf(resource),
      parameters: details.parameters ?? [],
      body: details.body,
      response: details.response,
      codes: details.codes ?? [200],
      patchTypes: details.method === 'patch' ? patchTypesOf(resource) : undefined,
    };
  }
}

function article(kind: string): string {
  return /^[AEIOU]/.test(kind) ? 'an' : 'a';
}
