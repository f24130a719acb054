import type { ApiRequest, ApiResponse } from '../http/api.ts';
import { notFound, refuse, reportedIssue } from './problem.ts';
import type { KeySecret, Payload, PayloadType } from './records.ts';

export const MAX_SECRET_BYTES = 20_000;

const PLAIN_TEXT = ['text/plain', 'text/plain;charset=utf-8', 'text/plain; charset=utf-8'];
const BINARY_TYPES = ['application/octet-stream', 'application/pkcs8'];
export const SUPPORTED_TYPES = [...PLAIN_TEXT, ...BINARY_TYPES];

/** The media type in the form in which it is stored; undefined if Barbican does not support it. */
export function payloadType(mediaType: string): PayloadType | undefined {
  const [mime = '', parameter] = mediaType.split(';').map((part) => part.trim().toLowerCase());
  if (parameter !== undefined && parameter.split('=')[1]?.trim() !== 'utf-8') return undefined;
  if (mime === 'text/plain') return mime;
  return mime === 'application/octet-stream' || mime === 'application/pkcs8' ? mime : undefined;
}

/** Decodes base64 like Python: invalid characters are ignored. Undefined if the padding is wrong. */
export function decodeBase64(text: string): Buffer | undefined {
  const digits = text.replaceAll(/[^A-Za-z0-9+/=]/g, '');
  const [, body = '', padding = ''] = /^([^=]*)(=*)/.exec(digits) ?? [];
  if (body.length % 4 === 1 || (body.length % 4 !== 0 && padding.length < 4 - (body.length % 4))) return undefined;
  return Buffer.from(body, 'base64');
}

/** Whether a request is for a secret's metadata, not its payload. */
export function wantsMetadata({ headers: { accept } }: ApiRequest): boolean {
  return accept === undefined || accept === 'application/json' || accept === '*/*';
}

/** Returns the payload of a secret in the requested format. */
export function sendPayload(request: ApiRequest, { payload }: KeySecret, operation: string): ApiResponse {
  if (payload === null) throw notFound('Not Found. Sorry but your secret has no payload.');
  const accept = request.headers.accept || 'application/octet-stream';
  const requested = accept === '*/*' ? payload.contentType : payloadType(accept);
  if (requested === undefined) throw reportedIssue(operation, 406, 'Wrong payload content-type');
  const bytes = bytesOf(payload);
  if (requested === 'text/plain' && !isUtf8(bytes)) throw reportedIssue(operation, 406, 'Wrong payload content-type');
  const contentType = accept === 'text/plain' ? 'text/plain; charset=UTF-8' : accept;
  return { status: 200, headers: { 'Content-Type': contentType }, body: bytes };
}

export function bytesOf(payload: Payload): Buffer {
  return Buffer.from(payload.base64, 'base64');
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const UPDATE_OPERATION = 'Secret update';

/** The payload of a PUT request, which is sent as bytes or, depending on its encoding, as base64. */
export function readPayload({ rawBody, headers }: ApiRequest, contentType: PayloadType): Payload {
  if (rawBody.length === 0) throw reportedIssue(UPDATE_OPERATION, 400, 'No data supplied to process.');
  if (rawBody.length > MAX_SECRET_BYTES)
    throw reportedIssue(UPDATE_OPERATION, 413, 'Provided information too large to process');
  const encoding = headers['content-encoding'];
  if (contentType === 'text/plain' || encoding === undefined) {
    return { contentType, base64: rawBody.toString('base64') };
  }
  if (encoding.toLowerCase() !== 'base64') {
    throw reportedIssue(
      UPDATE_OPERATION,
      400,
      "Text-based binary secret payloads must specify a content-encoding of 'base64'",
    );
  }
  const bytes = decodeBase64(rawBody.toString());
  if (bytes === undefined) {
    throw refuse(500, 'Secret update failure seen - please contact site administrator.');
  }
  return { contentType, base64: bytes.toString('base64') };
}
