import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import type { KubeObject } from '@fairway/kube/object/meta';
import { ledgerSchemas } from './spec-fields.ts';

/**
 * Name of the environment variable that contains the field hidden from a test run, such as `Cluster
 * spec.network.subnetID`. Objects for pure functions lack the field from the start, and controllers and admission read
 * every object without it, as if no code used it. `tools/ledger/prove.ts` sets the variable.
 */
export const BLIND_VARIABLE = 'FAIRWAY_BLIND';

interface BlindField {
  readonly kind: string;
  /** Segments below `spec`; list items are written `name[]`. */
  readonly path: readonly string[];
}

function blindField(): BlindField | undefined {
  const [kind, path] = (process.env[BLIND_VARIABLE] ?? '').split(' ');
  if (kind === undefined || path === undefined) return undefined;
  return { kind, path: path.split('.').slice(1) };
}

/**
 * A copy of the object without the hidden field, or with the field's default; the object itself if it lacks the field.
 */
export function withoutBlindField<T extends KubeObject>(kind: string, object: T): T {
  const field = blindField();
  if (field?.kind !== kind || !('spec' in object)) return object;
  const copy: T & { spec?: unknown } = structuredClone(object);
  drop(copy.spec, field.path);
  const schema = ledgerSchemas().get(kind);
  if (schema && typeof copy.spec === 'object' && copy.spec !== null) applyDefaults(copy.spec, schema, new Map());
  return copy;
}

function drop(value: unknown, [head = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const name = head.replace('[]', '');
  const members = value as Record<string, unknown>;
  if (rest.length === 0) delete members[name];
  else if (head.endsWith('[]')) for (const item of (members[name] as unknown[] | undefined) ?? []) drop(item, rest);
  else drop(members[name], rest);
}

/** A connection for controllers or admission: objects that they read lack the hidden field. */
export function blindReader(transport: Transport): Transport {
  if (blindField() === undefined) return transport;
  return {
    request: async (request) => blindResponse(await transport.request(request)),
    close: () => transport.close(),
  };
}

/** Like `blindReader`, for objects in memory. */
export function blindObjects(reader: ObjectReader): ObjectReader {
  if (blindField() === undefined) return reader;
  return {
    get(type, namespace, name) {
      const object = reader.get(type, namespace, name);
      return object && withoutBlindField(type.kind, object);
    },
    list: (type, namespace) => reader.list(type, namespace).map((object) => withoutBlindField(type.kind, object)),
    revisionOf: (type) => reader.revisionOf(type),
  };
}

/** A user's connection: objects that it writes lack the hidden field, as seen by readers in the server. */
export function blindWriter(transport: Transport): Transport {
  if (blindField() === undefined) return transport;
  const blindRequest = (request: TransportRequest) =>
    request.body === undefined ? request : { ...request, body: blindText(request.body) };
  return { request: (request) => transport.request(blindRequest(request)), close: () => transport.close() };
}

function blindResponse(response: TransportResponse): TransportResponse {
  return {
    ...response,
    text: async () => blindText(await response.text()),
    async *lines() {
      for await (const line of response.lines()) yield blindText(line);
    },
  };
}

/** An object, a list of objects or a watch event as JSON; anything else is unchanged. */
function blindText(text: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return text;
  }
  return JSON.stringify(blindJson(parsed));
}

function blindJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { kind, items, object } = value as { kind?: unknown; items?: unknown; object?: unknown };
  if (Array.isArray(items) && typeof kind === 'string') {
    const itemKind = kind.replace(/List$/, '');
    return { ...value, items: items.map((item: KubeObject) => withoutBlindField(itemKind, item)) };
  }
  if (typeof object === 'object' && object !== null) return { ...value, object: blindJson(object) };
  return typeof kind === 'string' ? withoutBlindField(kind, value as KubeObject) : value;
}
