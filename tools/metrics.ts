import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');

/** A metric defined in the code. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Label lists shared by several metrics, by their name in the code. */
const SHARED_LABELS: Readonly<Record<string, readonly string[]>> = {
  CLUSTER_LABELS: ['namespace', 'cluster'],
  byController: ['controller'],
  byQueue: ['name', 'controller'],
  labelNames: ['name', 'controller'],
};

const DEFINITION =
  /new (Counter|Gauge|Histogram)(?:<[^>]*>)?\(\{\s*name: '([a-z_]+)',\s*help:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"),([^]*?)(?:collect\(|registers|\}\))/g;

/** All metrics in the packages, by name. */
export function metricDefinitions(): readonly MetricDefinition[] {
  const found: MetricDefinition[] = [];
  for (const path of globSync('packages/*/src/**/*.ts', { cwd: PROJECT })) {
    if (path.endsWith('.test.ts')) continue;
    const text = readFileSync(join(PROJECT, path), 'utf8');
    for (const [, type = '', name = '', single, double, rest = ''] of text.matchAll(DEFINITION)) {
      const help = single ?? double ?? '';
      found.push({ name, type: type.toLowerCase() as MetricDefinition['type'], help, labels: labelsIn(rest) });
    }
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

function labelsIn(text: string): readonly string[] {
  const [listed = ''] = /labelNames: \[[^\]]*\]/.exec(text) ?? [];
  const words = listed === '' ? text : listed.replace('labelNames: ', '');
  return [...words.matchAll(/'([a-z_]+)'|\b(CLUSTER_LABELS|byController|byQueue|labelNames(?=,))\b/g)].flatMap(
    ([, label, shared]) => (shared === undefined ? [label ?? ''] : (SHARED_LABELS[shared] ?? [])),
  );
}

/** The table in docs/operators/metrics.md. */
function metricsTable(definitions: readonly MetricDefinition[]): string {
  const rows = definitions.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replaceAll('|', '\\|')} |`,
  );
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

const METRICS_TABLE = /(<!-- metrics -->\n)[^]*(<!-- end of metrics -->)/;

/** The page with its table replaced. */
export function withTable(page: string, definitions: readonly MetricDefinition[]): string {
  if (!METRICS_TABLE.test(page)) throw new Error('the page has no place for the table of metrics');
  return page.replace(
    METRICS_TABLE,
    (_, before: string, after: string) => `${before}\n${metricsTable(definitions)}\n\n${after}`,
  );
}
