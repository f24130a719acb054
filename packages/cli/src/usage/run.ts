import { UsageDetailExpiredError, type UsageRow, type UsageStep, usageReport } from '@fairway/api/domain/usage/report';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type UsageRecord, usageRecords } from '@fairway/api/kinds/usage-record';
import { isApiError } from '@fairway/kube/object/api-error';
import { usageError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { renderUsage, type UsageForm } from './forms.ts';
import { startOfMonth, usageTimeMs } from './time-option.ts';

export interface UsageOptions {
  readonly allNamespaces?: boolean;
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by?: Exclude<UsageStep, 'all'>;
  readonly clusters?: boolean;
  readonly output?: Exclude<UsageForm, 'table'>;
}

const HOUR_MS = 3_600_000;
const MAX_WINDOWS = 10_000;

/** Prints the usage of one or all projects. */
export async function printUsage(context: CliContext, globals: GlobalOptions, options: UsageOptions): Promise<void> {
  const nowMs = context.clock.now();
  const form = options.output ?? 'table';
  // Output for other programs covers full hours, so repeated requests return the same values.
  const isMachineReadable = form === 'cloudkitty' || form === 'ceilometer';
  const step = options.by ?? (isMachineReadable ? 'hour' : 'all');
  const byCluster = options.clusters === true || isMachineReadable;
  const span = spanOf(options, nowMs, isMachineReadable);
  if (step === 'hour' && (span.toMs - span.fromMs) / HOUR_MS > MAX_WINDOWS) {
    throw usageError('--by hour: the period has more than 10000 hours', 'choose days, or a shorter period');
  }
  await withConnection(context, globals, async (connection) => {
    const records = await readRecords(connection, options, context.signal);
    const rows = reportOf(records, { ...span, nowMs, step, byCluster });
    if (rows.length === 0 && form === 'table') {
      context.stderr.write('No usage in this period.\n');
      return;
    }
    const spansNamespaces = options.allNamespaces === true || options.project !== undefined;
    const shown = { period: step !== 'all', namespace: spansNamespaces, cluster: byCluster };
    context.stdout.write(renderUsage(rows, form, shown));
  });
}

function spanOf({ from, to }: UsageOptions, nowMs: number, isMachineReadable: boolean) {
  const toMs =
    to === undefined ? (isMachineReadable ? Math.floor(nowMs / HOUR_MS) * HOUR_MS : nowMs) : usageTimeMs('--to', to);
  const defaultMs = isMachineReadable ? toMs - HOUR_MS : startOfMonth(Math.min(toMs - 1, nowMs));
  const fromMs = from === undefined ? defaultMs : usageTimeMs('--from', from);
  if (fromMs >= toMs) throw usageError('--from must be before --to', '--to is exclusive');
  return { fromMs, toMs };
}

function reportOf(records: readonly UsageRecord[], question: Parameters<typeof usageReport>[1]): UsageRow[] {
  try {
    return usageReport(records, question);
  } catch (error) {
    if (!(error instanceof UsageDetailExpiredError)) throw error;
    const advice =
      'ended usage is kept by UTC hour for eight days and by UTC day before that: start and end the period on such a boundary, and do not choose smaller periods';
    throw usageError(error.message, advice, error);
  }
}

/** Includes usage recorded for deleted namespaces, if the user may read it. */
async function readRecords(
  { client, namespace }: Connection,
  { allNamespaces, project }: UsageOptions,
  signal: AbortSignal,
): Promise<readonly UsageRecord[]> {
  const records = client.resource(usageRecords);
  if (allNamespaces || project !== undefined) {
    const { items } = await records.list({ signal });
    const isOfProject = ({ spec, status }: UsageRecord) => spec.namespace === project || status?.projectID === project;
    return project === undefined ? items : items.filter(isOfProject);
  }
  const { items } = await records.list({ namespace, signal });
  const kept = await records.list({ namespace: SYSTEM_NAMESPACE, signal }).catch((error: unknown) => {
    if (isApiError(error, 'Forbidden')) return { items: [] };
    throw error;
  });
  const all = [...items, ...(namespace === SYSTEM_NAMESPACE ? [] : kept.items)];
  return all.filter(({ spec }) => spec.namespace === namespace);
}
