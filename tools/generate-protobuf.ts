import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldEntry, MessageTable } from '@fairway/apiserver/protobuf/message-table';

/**
 * Generates the table for decoding Protobuf bodies of the built-in kinds from Kubernetes' Go types:
 * `node tools/generate-protobuf.ts FOLDER`, which contains `api`, `apimachinery`, `apiextensions-apiserver` and `kube-aggregator` of k8s.io. The Go
 * source contains what the .proto files lack: which messages are inlined in JSON, and which zero values JSON omits.
 */
const OUTPUT = new URL('../packages/apiserver/src/protobuf/generated/kubernetes-messages.json', import.meta.url);

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int',
  int32: 'int',
  int64: 'int',
  uint32: 'int',
  uint64: 'int',
  byte: 'int',
  float64: 'double',
  '[]byte': 'bytes',
};

/** Types whose JSON form differs from their Go struct. */
const SPECIAL_TYPES: Readonly<Record<string, string>> = {
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'microtime',
  'meta/v1.FieldsV1': 'json',
  'runtime.RawExtension': 'json',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intorstring',
  'apiextensions/v1.JSON': 'json',
  'apiextensions/v1.JSONSchemaPropsOrArray': 'schemaorlist',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'schemaorbool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'schemaorstrings',
};

/** Groups outside k8s.io/api whose kinds Go clients send as Protobuf. */
const OTHER_GROUPS: Readonly<Record<string, string>> = {
  'apiextensions/v1': 'apiextensions-apiserver/pkg/apis/apiextensions/v1',
  'apiregistration/v1': 'kube-aggregator/pkg/apis/apiregistration/v1',
};

interface GoPackage {
  readonly id: string;
  readonly imports: ReadonlyMap<string, string>;
  readonly structs: ReadonlyMap<string, string>;
  /** Named types that are not structs. */
  readonly names: ReadonlyMap<string, string>;
}

function main(root: string): void {
  const api = join(root, 'api');
  const folders = new Map([
    ...groupVersions(api).map((id) => [id, join(api, id)] as const),
    ...Object.entries(OTHER_GROUPS).map(([id, path]) => [id, join(root, path)] as const),
    ['meta/v1', join(root, 'apimachinery/pkg/apis/meta/v1')] as const,
  ]);
  const packages = new Map([...folders].map(([id, folder]) => [id, readPackage(id, folder)]));
  const messages: Record<string, Record<number, FieldEntry>> = {};
  for (const goPackage of packages.values()) {
    for (const [name, body] of goPackage.structs) {
      const id = `${goPackage.id}.${name}`;
      if (SPECIAL_TYPES[id] === undefined) messages[id] = fieldsOf(body, goPackage, packages);
    }
  }
  const kinds: Record<string, string> = {};
  for (const [id, fields] of Object.entries(messages)) {
    const [goPackage = '', kind = ''] = id.split('.');
    const [, version = ''] = goPackage.split('/');
    const isKind = Object.values(fields).some(([name, type]) => name === 'metadata' && type === 'meta/v1.ObjectMeta');
    if (isKind || goPackage === 'meta/v1')
      kinds[`${groupName(goPackage, folders.get(goPackage) ?? '')}/${version} ${kind}`] = id;
  }
  const table: MessageTable = { kinds, messages: reachable(kinds, messages) };
  const lines = Object.entries(table.messages).map(([id, fields]) => `${JSON.stringify(id)}:${JSON.stringify(fields)}`);
  writeFileSync(OUTPUT, `{"kinds":${JSON.stringify(table.kinds)},\n"messages":{\n${lines.join(',\n')}\n}}\n`);
}

function groupVersions(api: string): string[] {
  return readdirSync(api, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(api, name))
        .filter((version) => /^v\d/.test(version))
        .map((version) => `${name}/${version}`),
    );
}

function readPackage(id: string, folder: string): GoPackage {
  const structs = new Map<string, string>();
  const names = new Map<string, string>();
  const imports = new Map<string, string>();
  const files = readdirSync(folder).filter(
    (name) =>
      /^(types|micro_time|time|duration|well_known).*\.go$/.test(name) &&
      !name.includes('_test') &&
      !name.includes('proto'),
  );
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, alias = '', path = ''] of source.matchAll(/^(?:import )?\s*(\w+ )?"(k8s\.io\/[^"]+)"$/gm)) {
      imports.set(alias.trim() || (path.split('/').at(-1) ?? ''), packageId(path));
    }
    for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      structs.set(name, body);
    for (const [, name = ''] of source.matchAll(/^type (\w+) struct ?\{\}$/gm)) structs.set(name, '');
    for (const [, name = '', type = ''] of source.matchAll(/^type (\w+) ([\w.[\]]+)$/gm)) names.set(name, type);
  }
  return { id, imports, structs, names };
}

function packageId(path: string): string {
  const parts = path.split('/');
  return path.includes('/util/') || path.endsWith('/resource') || path.endsWith('/runtime')
    ? (parts.at(-1) ?? '')
    : parts.slice(-2).join('/');
}

function fieldsOf(
  body: string,
  goPackage: GoPackage,
  packages: ReadonlyMap<string, GoPackage>,
): Record<number, FieldEntry> {
  const fields: Record<number, FieldEntry> = {};
  for (const line of body.split('\n')) {
    const match = /^\s+(?:\w+\s+)?(\S+)\s+`(.*)`/.exec(line);
    const [, goType = '', tags = ''] = match ?? [];
    const protobuf = /protobuf:"\w+,(\d+),/.exec(tags);
    const json = /json:"([^"]*)"/.exec(tags);
    if (protobuf === null || json === null) continue;
    const [name = '', ...options] = (json[1] ?? '').split(',');
    const { type, shape } = typeOf(goType.replace(/^\*/, ''), goPackage, packages);
    const omitsZero = !goType.startsWith('*') && options.includes('omitempty');
    const flags = `${options.includes('inline') ? 'i' : ''}${shape}${omitsZero ? 'z' : ''}`;
    fields[Number(protobuf[1])] = flags === '' ? [name, type] : [name, type, flags];
  }
  return fields;
}

/** The table's name for a Go type. The shape is 'r' for lists and 'm' for maps from strings. */
function typeOf(
  goType: string,
  goPackage: GoPackage,
  packages: ReadonlyMap<string, GoPackage>,
): { type: string; shape: string } {
  const scalar = SCALARS[goType];
  if (scalar !== undefined) return { type: scalar, shape: '' };
  const list = /^\[\]\*?(.+)$/.exec(goType);
  if (list !== null) return { ...typeOf(list[1] ?? '', goPackage, packages), shape: 'r' };
  const map = /^map\[[\w.]+\](.+)$/.exec(goType);
  if (map !== null) {
    const inner = typeOf(map[1] ?? '', goPackage, packages);
    // A list in a map is a message with `items`, like ExtraValue.
    return { type: inner.shape === 'r' ? 'items' : inner.type, shape: 'm' };
  }
  const [left = '', right] = goType.split('.');
  const id = right === undefined ? goPackage.id : (goPackage.imports.get(left) ?? left);
  const name = right ?? left;
  const special = SPECIAL_TYPES[`${id}.${name}`];
  if (special !== undefined) return { type: special, shape: '' };
  const owner = packages.get(id);
  if (owner?.structs.has(name)) return { type: `${id}.${name}`, shape: '' };
  const named = owner?.names.get(name);
  if (named !== undefined && owner !== undefined) return typeOf(named, owner, packages);
  return { type: 'string', shape: '' };
}

function groupName(goPackage: string, folder: string): string {
  if (goPackage === 'meta/v1') return 'meta.k8s.io';
  const source = readFileSync(join(folder, 'register.go'), 'utf8');
  return /GroupName = "([^"]*)"/.exec(source)?.[1] ?? '';
}

function reachable(
  kinds: Readonly<Record<string, string>>,
  messages: MessageTable['messages'],
): MessageTable['messages'] {
  const found: Record<string, Record<number, FieldEntry>> = {};
  const waiting = Object.values(kinds);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const fields = messages[id];
    if (fields === undefined || found[id] !== undefined) continue;
    found[id] = fields;
    waiting.push(...Object.values(fields).map(([, type]) => type));
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

main(process.argv[2] ?? '.');
