import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import { isJsonObject } from '@fairway/kube/object/json';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';
import type { BodyKind, BodyRequest } from './body-request.ts';
import { type reportFields, reportFieldsLater } from './field-validation.ts';
import { parseJson, parseYaml } from './parse-body.ts';

/** The object in a create's or update's body, with validated apiVersion, kind, name and namespace; throws 400 or 415. */
export function decodeObject(request: BodyRequest): KubeObject {
  return decodeBody(request, request.resource);
}

/**
 * Decodes like `decodeObject` when `conform` follows, which then reports duplicate fields together with unknown ones.
 */
export function decodeToConform(request: BodyRequest): KubeObject {
  return decodeBody(request, request.resource, { report: reportFieldsLater });
}

/** Decodes a body of a different kind in the same way, for a subresource. */
export function decodeBody(
  request: BodyRequest,
  kind: BodyKind,
  { isComplete = false, report }: { readonly isComplete?: boolean; readonly report?: typeof reportFields } = {},
): KubeObject {
  const object = checkShape(parseBody(request, report));
  if (isComplete && !(object.apiVersion && object.kind)) {
    throw badRequest('invalid object type: apiVersion and kind must be set in what is applied');
  }
  checkKind(object, kind);
  checkNames(object, request);
  return object;
}

const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'application/apply-patch+yaml'];
const JSON_TYPES = ['', '*/*', 'application/json', 'text/json'];

function parseBody(request: BodyRequest, report: typeof reportFields | undefined): KubeObject {
  const [contentType = ''] = (request.headers['content-type'] ?? '').split(';');
  const mediaType = contentType.trim().toLowerCase();
  let value: unknown;
  if (JSON_TYPES.includes(mediaType)) value = parseJson(request, request.body, report);
  else if (YAML_TYPES.includes(mediaType)) value = parseYaml(request, request.body, report);
  else throw unsupportedMediaType(['application/json', 'application/yaml']);
  if (!isJsonObject(value)) throw badRequest('the object provided is unrecognized: it is not a JSON object');
  return value as unknown as KubeObject;
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

/** Validates the metadata that later steps rely on. */
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

function checkKind(object: KubeObject, expected: BodyKind): void {
  const apiVersion = apiVersionOf(expected);
  object.apiVersion ||= apiVersion;
  object.kind ||= expected.kind;
  if (object.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (object.kind !== expected.kind) {
    throw badRequest(
      `${object.kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}`,
    );
  }
}

/** The URL is authoritative for names; a body may omit them, but not contradict them. */
export function checkNames(object: KubeObject, request: Pick<BodyRequest, 'namespace' | 'name' | 'verb'>): void {
  const { metadata } = object;
  const { namespace, name } = request;
  if (namespace !== '') {
    if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    metadata.namespace = namespace;
  } else if (metadata.namespace === '') delete metadata.namespace;
  if (name === '') return;
  if (!metadata.name && request.verb === 'update') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  metadata.name = name;
}
