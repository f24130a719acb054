import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import { dump } from 'js-yaml';
import { ListText } from './list-text.ts';
import { type Representation, wholeObjects } from './representation.ts';
import type { ResourceRequest } from './request.ts';
import type { ServedResource } from './served-resource.ts';
import { type IncludeObject, partialText, tableOf } from './table.ts';

/** One clause of an Accept header. */
export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, by preference. */
export function parseAccept(header: string | undefined): readonly MediaRange[] {
  if (header === undefined || header === '') return [{ type: '*/*', parameters: new Map() }];
  const ranges = header.split(',').map((clause) => {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    const parameters = new Map(
      rest.map((parameter): [string, string] => {
        const equals = parameter.indexOf('=');
        return equals < 0 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
      }),
    );
    return { type: type.toLowerCase(), parameters, quality: Number(parameters.get('q') ?? 1) };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

export function acceptsJson({ type }: MediaRange): boolean {
  return type === 'application/json' || type === '*/*' || type === 'application/*';
}

const YAML_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml'];
const TABLE = 'Table';

/**
 * The response format for the request's Accept header. Throws 406 if none is supported. Protobuf clauses are skipped,
 * so clients that prefer Protobuf but also accept JSON get JSON.
 */
export function representationOf(request: ResourceRequest, shape: 'object' | 'list' | 'watch'): Representation {
  const { resource, headers } = request;
  const { accept } = headers;
  // Sent by nearly all clients.
  if (accept === undefined || accept === 'application/json' || accept === '*/*') return wholeObjects(resource);
  for (const range of parseAccept(accept)) {
    const representation = acceptsJson(range) ? jsonAs(request, range, shape) : yamlAs(resource, range, shape);
    if (representation !== undefined) return representation;
  }
  throw notAcceptable();
}

export function notAcceptable(): ApiError {
  const message = 'only the following media types are accepted: application/json, application/yaml';
  return new ApiError(406, 'NotAcceptable', message);
}

function jsonAs(
  { resource, query, now }: ResourceRequest,
  { parameters }: MediaRange,
  shape: 'object' | 'list' | 'watch',
): Representation | undefined {
  const as = parameters.get('as');
  if (as === undefined) return wholeObjects(resource);
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === TABLE) return tableOf(resource, includeObjectOf(query), now);
  const expectedKind = shape === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return as === expectedKind ? partialObjects(resource) : undefined;
}

function includeObjectOf(query: URLSearchParams): IncludeObject {
  const include = query.get('includeObject');
  switch (include) {
    case null:
    case '':
    case 'Metadata':
      return 'Metadata';
    case 'None':
    case 'Object':
      return include;
    default:
      throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
  }
}

function partialObjects(resource: ServedResource): Representation {
  const whole = wholeObjects(resource);
  return {
    id: `partial ${resource.id}`,
    contentType: whole.contentType,
    objectText: (entry) => partialText(resource.objectOf(entry)),
    listText(entries, metadata) {
      const items = entries.map((entry) => partialText(resource.objectOf(entry)));
      const previous = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"items":[`;
      return new ListText(previous, items, ']}');
    },
    bookmarkText(revision, annotations) {
      const metadata = {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(annotations && { annotations }),
      };
      return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    },
  };
}

function yamlAs(
  resource: ServedResource,
  { type, parameters }: MediaRange,
  shape: 'object' | 'list' | 'watch',
): Representation | undefined {
  if (!YAML_TYPES.includes(type) || parameters.has('as') || shape === 'watch') return undefined;
  const whole = wholeObjects(resource);
  return {
    ...whole,
    id: `yaml ${resource.id}`,
    contentType: 'application/yaml',
    objectText: (entry) => yamlOf(whole.objectText(entry)),
    listText: (entries, metadata) => new ListText(yamlOf(whole.listText(entries, metadata).text()), [], ''),
  };
}

/** Formats JSON as sigs.k8s.io/yaml does. */
function yamlOf(json: string): string {
  return dump(JSON.parse(json), {
    sortKeys: true,
    seqNoIndent: true,
    quoteStyle: 'double',
    lineWidth: -1,
    noRefs: true,
  });
}
