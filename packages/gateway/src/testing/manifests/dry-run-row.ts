import { API_VERSION } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { rawReplyTo } from '../raw-reply.ts';
import type { Row, RowKind } from './row.ts';
import { type Ids, NAMESPACE } from './test-objects.ts';

/** What kube-apiserver prepends to a webhook's message. */
const DENIED_PREFIX = /^admission webhook "admission\.fairway\.dev" denied the request: /;
const CEL_SKIPPED = /^<nil>: Invalid value: null: some validation rules were not checked/;

/** The result of a row. */
export interface Outcome {
  readonly refused: readonly string[];
  /** Sorted: kube-apiserver sorts the fields of the objects that it sends to webhooks. */
  readonly warningTexts: readonly string[];
  /** The object as it would be stored. */
  readonly object: unknown;
}

interface StatusBody {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** Dry-runs the row with strict validation, as `kubectl apply --dry-run=server` does. */
export async function dryRunRow(client: KubeClient, ids: Ids, kind: RowKind, row: Row): Promise<Outcome> {
  const type = KINDS.find((candidate) => candidate.kind === kind);
  if (type === undefined) throw new Error(`no kind ${kind}`);
  const { name } = row.metadata ?? { name: 'new' };
  const where = type.namespaced ? `namespaces/${NAMESPACE}/${type.plural}` : type.plural;
  const query = '?dryRun=All&fieldValidation=Strict';
  const spec = replaceNames(row.spec, ids);
  const path = `/apis/${API_VERSION}/${where}`;
  const { status, body, warnings } = row.isUpdate
    ? await rawReplyTo(client, 'PATCH', `${path}/${name}${query}`, { spec })
    : await rawReplyTo(client, 'POST', `${path}${query}`, { apiVersion: API_VERSION, kind, metadata: { name }, spec });
  const withoutIDs = (text: string) => replaceIDs(text, ids);
  return {
    refused: status < 400 ? [] : causesOf(body as StatusBody).map(withoutIDs),
    warningTexts: warningsOf(warnings).map(withoutIDs).sort(),
    object: status < 400 ? JSON.parse(withoutIDs(JSON.stringify(body))) : undefined,
  };
}

/** The value at a path such as `spec.network.gateway.mode`. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], object);
}

/** Keeps a webhook's causes. Removes from a CRD's causes the note that CEL was skipped because of other errors. */
function causesOf({ message = '', details }: StatusBody): string[] {
  const causes = details?.causes ?? [];
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`).filter((line) => !CEL_SKIPPED.test(line));
  return lines.length === 0 ? [message.replace(DENIED_PREFIX, '')] : lines;
}

/** The RFC 7234 header, parsed as kubectl does. */
function warningsOf(header: string): string[] {
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function replaceNames(spec: object, ids: Ids): object {
  const text = JSON.stringify(spec).replace(/\{([a-z0-9-]+)\}/g, (all, name: string) => ids[name] ?? all);
  return JSON.parse(text) as object;
}

function replaceIDs(text: string, ids: Ids): string {
  return Object.entries(ids).reduce((result, [name, id]) => result.replaceAll(id, `{${name}}`), text);
}
