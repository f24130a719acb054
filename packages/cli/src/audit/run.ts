import { API_VERSION } from '@fairway/api/group';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { dump } from 'js-yaml';
import { z } from 'zod';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { ACCEPT_TABLE, alignColumns, ServerTable, tableRows } from '../output/table.ts';

export interface AuditOptions {
  /** Milliseconds. */
  readonly since?: number;
  readonly user?: string;
  readonly verb?: string;
  readonly limit: number;
  readonly output?: 'wide' | 'json' | 'yaml';
}

/** A page of events in any output format. */
const Page = z.looseObject({ metadata: z.object({ continue: z.string().default('') }).default({ continue: '' }) });
const EventList = z.object({ items: z.array(z.looseObject({})) });

/** Prints the audit events of a namespace or, if a cluster is given, of its API server. */
export async function printAudit(
  context: CliContext,
  globals: GlobalOptions,
  options: AuditOptions,
  cluster?: string,
): Promise<void> {
  const { output } = options;
  const isMachineReadable = output === 'json' || output === 'yaml';
  await withConnection(context, globals, async ({ client, namespace }) => {
    const path = pathOf(namespace, cluster);
    const pages = await readPages(client, path, options, isMachineReadable, context.signal);
    if (isMachineReadable) {
      const items = pages.flatMap((page) => EventList.parse(page).items);
      const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
      const text =
        output === 'json' ? `${JSON.stringify(list, undefined, 4)}\n` : dump(list, { lineWidth: -1, noRefs: true });
      context.stdout.write(text);
      return;
    }
    const tables = pages.map((page) => ServerTable.parse(page));
    const [table] = tables;
    const rows = tables.flatMap((each) => each.rows);
    if (table === undefined || rows.length === 0) {
      const where = cluster === undefined ? `in namespace ${namespace}` : `of cluster ${cluster}`;
      context.stderr.write(`No audit events found ${where}.\n`);
      return;
    }
    context.stdout.write(
      alignColumns(tableRows({ ...table, rows }, { wide: output === 'wide', withNamespace: false })),
    );
  });
}

function pathOf(namespace: string, cluster: string | undefined): string {
  const root = `/apis/${API_VERSION}/namespaces/${encodeURIComponent(namespace)}`;
  return cluster === undefined ? `${root}/auditevents` : `${root}/clusters/${encodeURIComponent(cluster)}/audit`;
}

/** Reads pages of audit events. A page of a cluster's events may be empty although more pages follow. */
async function readPages(
  client: KubeClient,
  path: string,
  options: AuditOptions,
  isMachineReadable: boolean,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  let left = options.limit;
  let token = '';
  do {
    const query = queryOf(options, { limit: left, token, isMachineReadable });
    const headers = { accept: isMachineReadable ? 'application/json' : ACCEPT_TABLE };
    const response = await client.raw({ method: 'GET', path: `${path}?${query.toString()}`, headers, signal });
    const page: unknown = JSON.parse(await response.text());
    pages.push(page);
    left -= isMachineReadable ? EventList.parse(page).items.length : ServerTable.parse(page).rows.length;
    token = Page.parse(page).metadata.continue;
  } while (token !== '' && left > 0);
  return pages;
}

function queryOf(
  { since, user, verb }: AuditOptions,
  {
    limit,
    token,
    isMachineReadable,
  }: { readonly limit: number; readonly token: string; readonly isMachineReadable: boolean },
): URLSearchParams {
  const fields = { 'user.username': user, verb };
  const terms = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${value.replaceAll(/[\\,=]/g, '\\$&')}`],
  );
  return new URLSearchParams({
    limit: String(limit),
    ...(since !== undefined && { sinceSeconds: String(Math.ceil(since / 1000)) }),
    ...(terms.length > 0 && { fieldSelector: terms.join(',') }),
    ...(isMachineReadable && { as: 'EventList' }),
    ...(token !== '' && { continue: token }),
  });
}
