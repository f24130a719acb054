import { isJsonArray, isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import type { Json } from '@fairway/kube/object/meta';
import { z } from 'zod';
import type { DocumentV2, JsonRecord, PathItemV2 } from '../openapi/document-v2.ts';

/** The part of another server's OpenAPI v2 document that concerns some group versions. */
export interface RemoteDocumentV2 {
  readonly paths: ReadonlyMap<string, PathItemV2>;
  /** The definitions referenced by the paths, and the kinds in the group versions. */
  readonly definitions: ReadonlyMap<string, JsonRecord>;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * Cost of walking and writing a value, in characters; Kubernetes' documents have about 30 characters per value. Without
 * it, a document full of empty lists could block this shared process ten times as long.
 */
const CHARS_PER_VALUE = 24;
const MAX_CHARS_TO_LENGTH = 3;
/** Minimum budget, for small documents. */
const SPARE_CHARS = 32 * 1024;

/** The result of JSON.parse is JSON, so its values need no validation. */
const record = z.custom<JsonRecord>(isJsonObject);
const texts = z.array(z.string()).default([]);
const Operation = z.object({
  operationId: z.string().default(''),
  description: z.string().default(''),
  tags: texts,
  schemes: texts,
  consumes: texts,
  produces: texts,
  parameters: z.array(record).default([]),
  responses: z.record(z.string(), z.object({ description: z.string().default(''), schema: record.optional() })),
  'x-kubernetes-action': z.string().optional(),
  'x-kubernetes-group-version-kind': z.custom<Json>().optional(),
});
const PathItem = z.object({
  get: Operation.optional(),
  put: Operation.optional(),
  post: Operation.optional(),
  delete: Operation.optional(),
  patch: Operation.optional(),
  parameters: z.array(record).default([]),
});
const Document = z.object({ paths: z.record(z.string(), z.unknown()), definitions: z.record(z.string(), record) });

const KIND_EXTENSION = 'x-kubernetes-group-version-kind';
const REFERENCE = /^#\/definitions\/(.+)$/;

/** The part of a document that concerns some group versions; undefined if the document can't be read. */
export function remoteDocumentV2(text: string, groupVersions: readonly GroupVersion[]): RemoteDocumentV2 | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const maxChars = text.length * MAX_CHARS_TO_LENGTH + SPARE_CHARS;
    const size = measureJson(json, { maxDepth: MAX_DEPTH, maxChars, charsPerValue: CHARS_PER_VALUE });
    if (typeof size !== 'number') return undefined;
    const document = Document.parse(json);
    const bases = groupVersions.map(({ group, version }) => `/apis/${group}/${version}/`);
    const own = Object.entries(document.paths).filter(([path]) => bases.some((base) => `${path}/`.startsWith(base)));
    const paths = new Map(own.map(([path, item]) => [path, PathItem.parse(item)]));
    const all = new Map(Object.entries(document.definitions));
    const kinds = [...all].filter(([, schema]) => groupVersions.some((one) => belongsTo(schema, one)));
    const neededNames = new Set(kinds.map(([name]) => name));
    collectReferences([[...paths.values()], kinds], all, neededNames);
    return { paths, definitions: new Map([...all].filter(([name]) => neededNames.has(name))) };
  } catch {
    return undefined;
  }
}

function belongsTo(schema: JsonRecord, { group, version }: GroupVersion): boolean {
  const kinds = schema[KIND_EXTENSION];
  if (!isJsonArray(kinds)) return false;
  return kinds.some((kind) => isJsonObject(kind) && kind['group'] === group && kind['version'] === version);
}

/** Adds the names of all definitions that a value refers to, transitively. */
function collectReferences(value: unknown, all: ReadonlyMap<string, JsonRecord>, found: Set<string>): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (isJsonObject(next)) {
      const name = referenceIn(next['$ref']);
      const target = name === undefined || found.has(name) ? undefined : all.get(name);
      if (name !== undefined && target !== undefined) {
        found.add(name);
        open.push(target);
      }
    }
    if (isJsonObject(next) || isJsonArray(next)) for (const item of Object.values(next)) open.push(item);
  }
}

function referenceIn(value: unknown): string | undefined {
  return typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
}

/**
 * Merges this server's document with others. Its own paths and definitions stay unchanged; a different definition with
 * the same name is renamed to `NAME_v2`, as in kube-aggregator.
 */
export function withRemoteDocuments(local: DocumentV2, remote: readonly RemoteDocumentV2[]): DocumentV2 {
  const paths = new Map(Object.entries(local.paths));
  const definitions = new Map(Object.entries(local.definitions));
  const latestNames = new Map<string, { readonly serial: number; readonly name: string }>();
  for (const document of remote) {
    const names = new Map<string, string>();
    const added: string[] = [];
    for (const [name, schema] of document.definitions) {
      // Compares at most two definitions per name: hundreds of servers may each have a different one.
      let { serial, name: chosen } = latestNames.get(name) ?? { serial: 1, name };
      if (jsonEqual(definitions.get(name), schema)) chosen = name;
      else if (!jsonEqual(definitions.get(chosen), schema)) {
        while (definitions.has(chosen)) chosen = `${name}_v${++serial}`;
        latestNames.set(name, { serial, name: chosen });
      }
      names.set(name, chosen);
      if (definitions.has(chosen)) continue;
      definitions.set(chosen, schema);
      added.push(name);
    }
    for (const name of added) {
      definitions.set(names.get(name) ?? name, withRenamedReferences(document.definitions.get(name) ?? {}, names));
    }
    for (const [path, item] of document.paths)
      if (!paths.has(path)) paths.set(path, withRenamedReferences(item, names));
  }
  return { ...local, paths: Object.fromEntries(paths), definitions: Object.fromEntries(definitions) };
}

/** The same value, with references updated to the renamed definitions. */
function withRenamedReferences<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (isJsonArray(value)) return value.map((item) => withRenamedReferences(item, names)) as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = key === '$ref' ? referenceIn(item) : undefined;
      return [
        key,
        name === undefined ? withRenamedReferences(item, names) : `#/definitions/${names.get(name) ?? name}`,
      ];
    }),
  ) as T;
}
