import { badRequest } from '../object/api-error.ts';
import { isJsonObject } from '../object/json.ts';
import type { KubeObject } from '../object/meta.ts';
import type { ResourceRequest } from './request.ts';
import type { ServedResource } from './served-resource.ts';

/** The object in a create's or update's body, its apiVersion, kind and namespace made sure of; throws 400. */
export function decodeObject(request: ResourceRequest): KubeObject {
  const { resource } = request;
  const object = parseJson(request.body);
  checkKind(object, resource);
  checkNames(object, request);
  return object;
}

function parseJson(text: string): KubeObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized (must be of type JSON): ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw badRequest('the object provided is unrecognized: it is not a JSON object');
  return checkShape(value as unknown as KubeObject);
}

/** Metadata as every later step trusts it to be. */
export function checkShape(object: KubeObject): KubeObject {
  if (object.metadata === undefined || object.metadata === null) object.metadata = {};
  const { metadata } = object;
  if (!isJsonObject(metadata)) throw badRequest('metadata: Invalid value: must be an object');
  for (const field of [
    'name',
    'generateName',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'deletionTimestamp',
  ]) {
    const value = metadata[field];
    if (value === null) delete (metadata as Record<string, unknown>)[field];
    else if (value !== undefined && typeof value !== 'string') {
      throw badRequest(
        `json: cannot unmarshal ${typeof value} into Go struct field ObjectMeta.metadata.${field} of type string`,
      );
    }
  }
  for (const field of ['labels', 'annotations'] as const) {
    const map: unknown = metadata[field];
    if (map === null) delete (metadata as Record<string, unknown>)[field];
    else if (
      map !== undefined &&
      !(isJsonObject(map) && Object.values(map).every((value) => typeof value === 'string'))
    ) {
      throw badRequest(
        `json: cannot unmarshal into Go struct field ObjectMeta.metadata.${field} of type map[string]string`,
      );
    }
  }
  for (const field of ['finalizers', 'ownerReferences', 'managedFields'] as const) {
    const list: unknown = metadata[field];
    if (list === null) delete (metadata as Record<string, unknown>)[field];
    else if (list !== undefined && !Array.isArray(list)) {
      throw badRequest(`json: cannot unmarshal into Go struct field ObjectMeta.metadata.${field} of type list`);
    }
  }
  return object;
}

function checkKind(object: KubeObject, resource: ServedResource): void {
  const { apiVersion, kind } = resource;
  object.apiVersion ??= apiVersion;
  object.kind ??= kind;
  if (object.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (object.kind !== kind) {
    throw badRequest(`${object.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${kind}`);
  }
}

/** The URL is the truth about names; a body may leave them out but not contradict it. */
export function checkNames(object: KubeObject, request: ResourceRequest): void {
  const { metadata } = object;
  const { namespace, name } = request;
  if (namespace !== '') {
    if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    metadata.namespace = namespace;
  } else if (metadata.namespace === '') delete metadata.namespace;
  if (name === '') return;
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  metadata.name = name;
}
