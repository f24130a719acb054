import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { ACCEPTED_MANIFESTS, type Manifest, NAMESPACE } from '@fairway/apiserver/kinds/testing/kinds-corpus';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { type ApiError, isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf } from '@fairway/kube/object/meta';

/** The result of a request in a form that can be compared between servers. */
export type Outcome =
  | { readonly object: unknown }
  | { readonly code: number; readonly reason: string; readonly causes: readonly string[] };

export function definitionOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): ResourceDefinition {
  const found = ALL_KINDS.find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion);
  if (found === undefined) throw new Error(`no kind ${kind} in ${apiVersion}`);
  return found;
}

export function collectionPath(definition: ResourceDefinition): string {
  const root = definition.group === '' ? '/api/v1' : `/apis/${definition.group}/${definition.version}`;
  return `${root}${definition.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${definition.plural}`;
}

export async function create(client: KubeClient, manifest: Manifest): Promise<Outcome> {
  return outcomeOf(client, 'POST', collectionPath(definitionOf(manifest)), manifest);
}

/** Replaces the object with the result of `change` on the manifest. */
export async function replace(client: KubeClient, manifest: Manifest, subresource = ''): Promise<Outcome> {
  const path = `${collectionPath(definitionOf(manifest))}/${encodeURIComponent(manifest.metadata.name)}${subresource}`;
  return outcomeOf(client, 'PUT', path, manifest);
}

export async function outcomeOf(
  client: KubeClient,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: object,
  contentType = 'application/json',
): Promise<Outcome> {
  const request = { method, path, headers: { 'content-type': contentType }, body: JSON.stringify(body) };
  try {
    const response = await client.raw(request);
    return { object: normalized(JSON.parse(await response.text())) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { code: error.code, reason: error.reason, causes: causesOf(error) };
  }
}

function causesOf(error: ApiError): string[] {
  const causes = error.causes.map(({ field, reason, message }) => `${field} ${reason} ${comparable(message ?? '')}`);
  return causes.length === 0 ? [error.message] : causes.sort();
}

/** Omits values that upstream prints as Go structs, and the diff that it appends for developers. */
function comparable(message: string): string {
  const [text = ''] = message.split('\n');
  return text.replace(/ value: \{.*\}(?=: |$)/, ' value: {…}');
}

/** Fields that differ between any two servers, or are set by allocators. */
const VOLATILE_FIELDS = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink']);
const ALLOCATED_FIELDS = new Set([
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'nodePort',
  'healthCheckNodePort',
]);
/** Current times; times in manifests are from another day. */
const NOW = new RegExp(`^(?!2026-01-01)\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`);
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Sorts keys and omits fields that always differ. */
export function normalized(value: unknown): unknown {
  if (typeof value === 'string') return NOW.test(value) ? 'NOW' : value.replaceAll(UID, 'UID');
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, member]) => !VOLATILE_FIELDS.has(key) && !ALLOCATED_FIELDS.has(key) && member !== null)
    .map(([key, member]): [string, unknown] => [key, normalized(member)]);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/**
 * The output of `kubectl get` for a kind, or for one object: cells by column, in rows by name, only for objects
 * created here. Ages are omitted.
 */
export async function tableOf(client: KubeClient, definition: ResourceDefinition, name = ''): Promise<unknown> {
  const path = `${collectionPath(definition)}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const response = await client.raw({ method: 'GET', path, headers: { accept } });
  const { columnDefinitions, rows } = JSON.parse(await response.text()) as Table;
  const nameIndex = columnDefinitions.findIndex((column) => column.name === 'Name');
  const columns = columnDefinitions.map(({ name, type, priority }) => ({ name, type, priority }));
  const cells = rows.map(({ cells }): [string, unknown] => {
    const row = cells.map((cell, index) => [columnDefinitions[index]?.name, cell] as const);
    const compared = row.filter(([column]) => !AGES.has(column ?? '') && !ALLOCATED_CELLS.has(column ?? ''));
    return [String(cells[nameIndex]), normalized(Object.fromEntries(compared))];
  });
  return { columns: columns, rows: Object.fromEntries(cells.filter(([row]) => OWN_ROWS.has(row))) };
}

const AGES = new Set(['Age', 'Created At', 'Last Seen', 'First Seen', 'Duration', 'Last Schedule']);
const ALLOCATED_CELLS = new Set(['Cluster-IP', 'Port(s)']);
/**
 * A kube-apiserver has its own objects, and may create more at any time, such as events for Services whose address it
 * has not allocated. It also reports on its own whether an APIService is available.
 */
const OWN_ROWS: ReadonlySet<string> = new Set([
  NAMESPACE,
  ...ACCEPTED_MANIFESTS.filter(({ kind }) => kind !== 'APIService').map(({ metadata }) => metadata.name),
]);
