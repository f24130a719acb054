import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import { humanAge } from '@fairway/apiserver/kinds/printing/age';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { type RowColumn, renderRows } from '../output/rows.ts';
import { operationText } from '../progress/operation-text.ts';
import { qualifiedName } from './kinds.ts';

interface OperationsOptions {
  readonly allNamespaces?: boolean;
  readonly cluster?: string;
  readonly running?: boolean;
  readonly output?: OutputFormat;
}

/** The last operation of an object. */
export interface OperationRow {
  readonly name: string;
  readonly namespace: string;
  readonly operation: LastOperation;
}

/** Prints the operations of clusters and pools, running ones first. */
export async function listOperations(
  context: CliContext,
  globals: GlobalOptions,
  { allNamespaces = false, cluster, running = false, output }: OperationsOptions,
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }) => {
    const where = { ...(!allNamespaces && { namespace }), signal: context.signal };
    const [ofClusters, ofPools] = await Promise.all([
      client.resource(clusters).list(where),
      client.resource(nodePools).list(where),
    ]);
    const rows = operationRows(
      ofClusters.items.filter(({ metadata }) => cluster === undefined || metadata.name === cluster),
      ofPools.items.filter(({ spec }) => cluster === undefined || spec.clusterName === cluster),
    ).filter(({ operation }) => !running || !isOver(operation));
    if (rows.length === 0 && output === undefined) {
      context.stderr.write(
        `No ${running ? 'running ' : ''}operations${allNamespaces ? '' : ` in namespace ${namespace}`}.\n`,
      );
      return;
    }
    context.stdout.write(renderRows(rows, columns(allNamespaces, context.clock.now()), output));
  });
}

/** Running operations first, then the latest. Pure. */
export function operationRows(ofClusters: readonly Cluster[], ofPools: readonly NodePool[]): readonly OperationRow[] {
  const row = (kind: typeof clusters | typeof nodePools, { metadata, status }: Cluster | NodePool): OperationRow[] => {
    const { name = '', namespace = '' } = metadata;
    const operation = status?.lastOperation;
    return operation === undefined ? [] : [{ name: qualifiedName(kind, name), namespace, operation }];
  };
  return [
    ...ofClusters.flatMap((each) => row(clusters, each)),
    ...ofPools.flatMap((each) => row(nodePools, each)),
  ].toSorted(
    (a, b) =>
      Number(isOver(a.operation)) - Number(isOver(b.operation)) ||
      Date.parse(b.operation.lastUpdateTime) - Date.parse(a.operation.lastUpdateTime),
  );
}

/** Whether nothing is in progress any longer. This includes failed operations, even though someone must act. */
function isOver({ state }: LastOperation): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

function columns(withNamespace: boolean, nowMs: number): readonly RowColumn<OperationRow>[] {
  return [
    ...(withNamespace ? [['NAMESPACE', ({ namespace }: OperationRow) => namespace] as const] : []),
    ['OBJECT', ({ name }) => name],
    ['OPERATION', ({ operation }) => operation.type],
    ['STATE', ({ operation }) => operation.state],
    ['PROGRESS', ({ operation }) => `${operation.progress} %`],
    ['BEGAN', ({ operation }) => humanAge(operation.startTime, nowMs), 'wide'],
    ['CHANGED', ({ operation }) => humanAge(operation.lastUpdateTime, nowMs)],
    ['DESCRIPTION', ({ operation }) => operationText(operation)],
  ];
}
