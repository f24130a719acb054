import { isJsonArray, isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import { z } from 'zod';
import type { DocumentV2, JsonRecord, PathItemV2 } from '../openapi/document-v2.ts';

/** What an OpenAPI v2 document of another server says of some group versions. */
export interface RemoteDocumentV2 {
  readonly paths: ReadonlyMap<string, PathItemV2>;
  /** What the paths refer to, and the kinds of the group versions. */
  readonly definitions: ReadonlyMap<string, JsonRecord>;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const record = z.record(z.string(), z.json());
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
  'x-kubernetes-group-version-kind': z.json().optional(),
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

const KIND = 'x-kubernetes-group-version-kind';
const REFERENCE = /^#\/definitions\/(.+)$/;

/** The part of a document about some group versions; undefined if it can't be read. */
export function remoteDocumentV2(text: string, groupVersions: readonly GroupVersion[]): RemoteDocumentV2 | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof measureJson(json, { maxDepth: MAX_DEPTH, maxChars: text.length * 2 }) !== 'number') return undefined;
    const document = Document.parse(json);
    const bases = groupVersions.map(({ group, version }) => `/apis/${group}/${version}/`);
    const own = Object.entries(document.paths).filter(([path]) => bases.some((base) => `${path}/`.startsWith(base)));
    const paths = new Map(own.map(([path, item]) => [path, PathItem.parse(item)]));
    const all = new Map(Object.entries(document.definitions));
    const kinds = [...all].filter(([, schema]) => groupVersions.some((one) => isOf(schema, one)));
    const wanted = new Set(kinds.map(([name]) => name));
    collectReferences([[...paths.values()], kinds], all, wanted);
    return { paths, definitions: new Map([...all].filter(([name]) => wanted.has(name))) };
  } catch {
    return undefined;
  }
}

function isOf(schema: JsonRecord, { group, version }: GroupVersion): boolean {
  const kinds = schema[KIND];
  if (!isJsonArray(kinds)) return false;
  return kinds.some((kind) => isJsonObject(kind) && kind['group'] === group && kind['version'] === version);
}

/** Adds the names of all definitions that a value refers to, and those that these refer to. */
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
 * The document of this server with those of others. Its own paths and definitions stay as they are; a definition of the same name that says
 * something else gets another name, `NAME_v2`, as in kube-aggregator.
 */
export function withRemoteDocuments(local: DocumentV2, remote: readonly RemoteDocumentV2[]): DocumentV2 {
  const paths = new Map(Object.entries(local.paths));
  const definitions = new Map(Object.entries(local.definitions));
  for (const document of remote) {
    const names = new Map<string, string>();
    const added: string[] = [];
    for (const [name, schema] of document.definitions) {
      let chosen = name;
      for (let serial = 2; definitions.has(chosen) && !jsonEqual(definitions.get(chosen), schema); serial++) {
        chosen = `${name}_v${serial}`;
      }
      names.set(name, chosen);
      if (definitions.has(chosen)) continue;
      definitions.set(chosen, schema);
      added.push(name);
    }
    for (const name of added) {
      definitions.set(names.get(name) ?? name, renamed(document.definitions.get(name) ?? {}, names));
    }
    for (const [path, item] of document.paths) if (!paths.has(path)) paths.set(path, renamed(item, names));
  }
  return { ...local, paths: Object.fromEntries(paths), definitions: Object.fromEntries(definitions) };
}

/** The same with references to what the definitions are called now. */
function renamed<T extends object>(value: T, names: ReadonlyMap<string, string>): T {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) => {
    const name = key === '$ref' ? referenceIn(item) : undefined;
    return name === undefined ? item : `#/definitions/${names.get(name) ?? name}`;
  }) as T;
}
