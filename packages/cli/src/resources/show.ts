import { CLUSTER_LABEL } from '@fairway/api/group';
import type { Kind } from '@fairway/api/kinds/kind';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { queryString, resourcePath } from '@fairway/kube/client/resource-path';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { isObjectForm, renderObjects } from '../output/objects.ts';
import { ACCEPT_TABLE, alignColumns, ServerTable, tableRows } from '../output/table.ts';
import type { ReadableKindName } from './kind-names.ts';
import { KINDS_BY_NAME } from './kinds.ts';

interface ListOptions {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly cluster?: string;
  readonly output?: OutputFormat;
}

/** Prints the objects of a kind: the server's own columns, or the objects themselves. */
export async function listObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: ReadableKindName,
  options: ListOptions,
): Promise<void> {
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const selection = {
      namespace: options.allNamespaces ? undefined : connection.namespace,
      labelSelector: labelSelectorOf(kindName, options),
    };
    if (isObjectForm(options.output)) {
      const { items } = await connection.client.resource(kind).list({
        ...(selection.namespace !== undefined && { namespace: selection.namespace }),
        ...(selection.labelSelector !== undefined && { labelSelector: selection.labelSelector }),
        signal: context.signal,
      });
      const clusterItems = items.filter((item) => belongsTo(kindName, item, options.cluster));
      context.stdout.write(renderObjects(kind, clusterItems, options.output, true));
      return;
    }
    const query = queryString({ labelSelector: selection.labelSelector, includeObject: 'Object' });
    const table = await getTable(connection, resourcePath(kind, selection) + query, context.signal);
    const rows = table.rows.filter((row) => belongsTo(kindName, row.object as KubeObject, options.cluster));
    if (rows.length === 0) {
      const of = options.cluster === undefined ? '' : ` of cluster ${options.cluster}`;
      const where = selection.namespace === undefined || !kind.namespaced ? '' : ` in namespace ${selection.namespace}`;
      const matching = options.selector === undefined ? '' : `, with labels ${options.selector}`;
      context.stderr.write(`No ${kind.plural}${of}${where}${matching}.\n`);
      return;
    }
    const form = { wide: options.output === 'wide', withNamespace: options.allNamespaces === true };
    context.stdout.write(alignColumns(tableRows({ ...table, rows }, form)));
  });
}

/** Machines have a label that names their cluster; a pool names it in its spec. */
function labelSelectorOf(kindName: ReadableKindName, { selector, cluster }: ListOptions): string | undefined {
  const terms = [selector, kindName === 'machine' && cluster !== undefined ? `${CLUSTER_LABEL}=${cluster}` : undefined];
  return terms.filter((term) => term !== undefined).join(',') || undefined;
}

function belongsTo(kindName: ReadableKindName, object: KubeObject, cluster: string | undefined): boolean {
  if (kindName !== 'nodepool' || cluster === undefined) return true;
  return (object as NodePool).spec.clusterName === cluster;
}

/** Prints the named objects; fails at the first one that does not exist. */
export async function getObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: ReadableKindName,
  names: readonly string[],
  options: { readonly output?: OutputFormat },
): Promise<void> {
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    if (isObjectForm(options.output)) {
      const objects = await Promise.all(
        names.map((name) => client.resource(kind).get(name, { namespace, signal: context.signal })),
      );
      context.stdout.write(renderObjects(kind, objects, options.output, names.length > 1));
      return;
    }
    context.stdout.write(await renderNamed(connection, kind, names, options.output === 'wide', context.signal));
  });
}

async function renderNamed(
  connection: Connection,
  kind: Kind,
  names: readonly string[],
  wide: boolean,
  signal: AbortSignal,
): Promise<string> {
  const { namespace } = connection;
  const tables = await Promise.all(
    names.map((name) => getTable(connection, resourcePath(kind, { namespace, name }), signal)),
  );
  const [headings = []] = tables.map((table) => tableRows(table, { wide, withNamespace: false })[0] ?? []);
  const rows = tables.flatMap((table) => tableRows(table, { wide, withNamespace: false }).slice(1));
  return alignColumns([headings, ...rows]);
}

async function getTable({ client }: Connection, path: string, signal: AbortSignal): Promise<ServerTable> {
  const response = await client.raw({ method: 'GET', path, headers: { accept: ACCEPT_TABLE }, signal });
  return ServerTable.parse(JSON.parse(await response.text()));
}
