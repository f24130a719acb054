import type { UsageRow } from '@fairway/api/domain/usage/report';
import { isInGiB } from '@fairway/api/kinds/usage-record';
import { formatTime } from '@fairway/base/clock';
import { dump } from 'js-yaml';
import { alignColumns } from '../output/table.ts';
import { dataFrames, hoursOf, METRICS } from './data-frames.ts';

export type UsageForm = 'table' | 'json' | 'yaml' | 'csv' | 'cloudkitty' | 'ceilometer';

export interface VisibleColumns {
  readonly period: boolean;
  readonly namespace: boolean;
  readonly cluster: boolean;
}

/** A report as text. Pure. */
export function renderUsage(rows: readonly UsageRow[], form: UsageForm, shown: VisibleColumns): string {
  switch (form) {
    case 'table':
      return usageTable(rows, shown);
    case 'json':
      return `${JSON.stringify(rows.map(plainRow), undefined, 2)}\n`;
    case 'yaml':
      return dump(rows.map(plainRow), { lineWidth: -1, noRefs: true });
    case 'csv':
      return usageCsv(rows);
    case 'cloudkitty':
      return `${JSON.stringify({ dataframes: dataFrames(rows) }, undefined, 2)}\n`;
    case 'ceilometer':
      return `${JSON.stringify(rows.map(sample), undefined, 2)}\n`;
  }
}

/** In exact seconds. */
function plainRow(row: UsageRow) {
  return {
    from: formatTime(row.fromMs),
    to: formatTime(row.toMs),
    namespace: row.namespace,
    project: row.projectID ?? null,
    ...(row.cluster !== undefined && { cluster: row.cluster, clusterUID: row.clusterUID }),
    resource: row.resource,
    type: row.type,
    unit: isInGiB(row.resource) ? 'GiB-seconds' : 'seconds',
    amount: row.amount,
    uncertain: row.uncertain,
  };
}

const CSV_COLUMNS = [
  'from',
  'to',
  'namespace',
  'project',
  'cluster',
  'clusterUID',
  'resource',
  'type',
  'unit',
  'amount',
  'uncertain',
] as const;

/** RFC 4180. */
function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => {
    const values: Readonly<Record<string, string | number | null | undefined>> = plainRow(row);
    return CSV_COLUMNS.map((column) => csvField(String(values[column] ?? '')));
  });
  return [CSV_COLUMNS, ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function usageTable(rows: readonly UsageRow[], shown: VisibleColumns): string {
  const cells = (period: string, namespace: string, cluster: string, rest: readonly string[]) => [
    ...(shown.period ? [period] : []),
    ...(shown.namespace ? [namespace] : []),
    ...(shown.cluster ? [cluster] : []),
    ...rest,
  ];
  return alignColumns([
    cells('FROM', 'NAMESPACE', 'CLUSTER', ['RESOURCE', 'TYPE', 'HOURS', 'UNCERTAIN']),
    ...rows.map((row) => {
      const { resource, type, amount, uncertain } = row;
      const uncertainty = uncertaintyOf(uncertain);
      const unit = isInGiB(resource) ? ' GiB' : '';
      const rest = [resource, type, `${hoursOf(amount, 2)}${unit}`, uncertainty];
      return cells(formatTime(row.fromMs), row.namespace, row.cluster ?? '', rest);
    }),
  ]);
}

/** The maximum excess. A value that rounds to zero is still shown as more than zero. */
function uncertaintyOf(uncertain: number): string {
  if (uncertain === 0) return '';
  const hours = hoursOf(uncertain, 2);
  return Number(hours) === 0 ? '<0.01' : `-${hours}`;
}

/** Formats samples like Ceilometer's of type `delta`. */
function sample({ resource, type, amount, toMs, fromMs, namespace, projectID, cluster, clusterUID }: UsageRow) {
  return {
    counter_name: METRICS[resource],
    counter_type: 'delta',
    counter_unit: isInGiB(resource) ? 'GiB*s' : 's',
    counter_volume: amount,
    resource_id: [clusterUID ?? namespace, type].join('/'),
    project_id: projectID ?? null,
    user_id: null,
    timestamp: formatTime(toMs),
    resource_metadata: { type, namespace, since: formatTime(fromMs), ...(cluster !== undefined && { cluster }) },
  };
}
