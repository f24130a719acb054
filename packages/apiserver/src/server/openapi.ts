import type { Aggregator, RemoteGroupVersion } from '../aggregation/aggregator.ts';
import type { RemoteDocumentV2 } from '../aggregation/remote-document-v2.ts';
import { type OpenApiDocuments, openApiDocuments, type PublishedDocument, published } from '../openapi/documents.ts';
import type { Definitions } from '../schema/schema.ts';
import { acceptsJson, notAcceptable, parseAccept } from './negotiation.ts';
import type { Registry } from './registry.ts';
import { type ApiRequest, type ApiResponse, JSON_TYPE } from './request.ts';

/** Old clients request the first media type; the response always has the second. */
const PROTOBUF_TYPES = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
] as const;

const NO_REMOTE_DOCUMENTS: readonly RemoteDocumentV2[] = [];

/** `/openapi/v2`, `/openapi/v3` and the paths below them. Undefined for other paths. */
export async function openApiResponse(
  registry: Registry,
  definitions: () => Definitions,
  aggregator: Pick<Aggregator, 'discovered' | 'openApiV2'> | undefined,
  request: ApiRequest,
): Promise<ApiResponse | undefined> {
  const path = request.path.replace(/\/$/, '');
  if (!path.startsWith('/openapi/')) return undefined;
  const documents = openApiDocuments(registry.definitions, definitions);
  if (path === '/openapi/v2') return v2(documents, (await aggregator?.openApiV2()) ?? NO_REMOTE_DOCUMENTS, request);
  if (path === '/openapi/v3')
    return respond(request, JSON_TYPE, withRemote(documents.v3Index(), aggregator?.discovered ?? []));
  const document = path.startsWith('/openapi/v3/') ? documents.v3(path.slice('/openapi/v3/'.length)) : undefined;
  return document && respond(request, JSON_TYPE, document);
}

/** The index, including other servers' documents, which are fetched on demand. */
function withRemote(index: PublishedDocument, remote: readonly RemoteGroupVersion[]): PublishedDocument {
  const others = remote.filter(({ openApiHash }) => openApiHash !== undefined);
  if (others.length === 0) return index;
  const { paths } = JSON.parse(Buffer.from(index.body).toString()) as { readonly paths: object };
  const added = others.map(({ api, openApiHash }) => {
    const path = `apis/${api.group}/${api.version}`;
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${openApiHash}` }] as const;
  });
  return published(Buffer.from(JSON.stringify({ paths: { ...paths, ...Object.fromEntries(added) } })));
}

function v2(documents: OpenApiDocuments, remote: readonly RemoteDocumentV2[], request: ApiRequest): ApiResponse {
  for (const range of parseAccept(request.headers['accept'])) {
    if (acceptsJson(range)) return respond(request, JSON_TYPE, documents.v2Json(remote));
    if ((PROTOBUF_TYPES as readonly string[]).includes(range.type)) {
      return respond(request, PROTOBUF_TYPES[1], documents.v2Protobuf(remote));
    }
  }
  throw notAcceptable();
}

function respond(request: ApiRequest, contentType: string, { body, hash }: PublishedDocument): ApiResponse {
  const etag = `"${hash}"`;
  const headers = {
    'content-type': contentType,
    etag,
    vary: 'Accept',
    // A document requested by its hash never changes.
    ...(request.query.get('hash') === hash && { 'cache-control': 'public, immutable' }),
  };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
}
