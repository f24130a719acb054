import { type OpenApiDocuments, openApiDocuments, type PublishedDocument } from '../openapi/documents.ts';
import type { Definitions } from '../schema/schema.ts';
import { acceptsJson, notAcceptable, parseAccept } from './negotiation.ts';
import type { Registry } from './registry.ts';
import { type Answer, type ApiRequest, JSON_TYPE } from './request.ts';

/** The first is what old clients ask for; the answer is always called by the second. */
const PROTOBUF_TYPES = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
] as const;

/** `/openapi/v2`, `/openapi/v3` and what is below. Undefined for other paths. */
export function openApiAnswer(
  registry: Registry,
  definitions: () => Definitions,
  request: ApiRequest,
): Answer | undefined {
  const path = request.path.replace(/\/$/, '');
  if (!path.startsWith('/openapi/')) return undefined;
  const documents = openApiDocuments(registry.definitions, definitions);
  if (path === '/openapi/v2') return v2(documents, request);
  if (path === '/openapi/v3') return answer(request, JSON_TYPE, documents.v3Index());
  const document = path.startsWith('/openapi/v3/') ? documents.v3(path.slice('/openapi/v3/'.length)) : undefined;
  return document && answer(request, JSON_TYPE, document);
}

function v2(documents: OpenApiDocuments, request: ApiRequest): Answer {
  for (const range of parseAccept(request.headers['accept'])) {
    if (acceptsJson(range)) return answer(request, JSON_TYPE, documents.v2Json());
    if ((PROTOBUF_TYPES as readonly string[]).includes(range.type)) {
      return answer(request, PROTOBUF_TYPES[1], documents.v2Protobuf());
    }
  }
  throw notAcceptable();
}

function answer(request: ApiRequest, contentType: string, { body, hash }: PublishedDocument): Answer {
  const etag = `"${hash}"`;
  const headers = {
    'content-type': contentType,
    etag,
    vary: 'Accept',
    // A document that is asked for by its hash never changes.
    ...(request.query.get('hash') === hash && { 'cache-control': 'public, immutable' }),
  };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
}
