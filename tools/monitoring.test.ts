import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { findProgram } from '../tests/clients/client-binaries.ts';
import { readPromQL } from '../tests/monitoring/promql.ts';
import { type MetricDefinition, metricDefinitions, withTable } from './metrics.ts';
import { ALERTS, rulesText } from './monitoring/rules-file.ts';
import { SLO_RECORDINGS } from './monitoring/slo-rules.ts';

const ROOT = join(import.meta.dirname, '..');
const MONITORING = join(ROOT, 'deploy/helm/fairway/files');
const PROMTOOL_ON_PATH = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'promtool'))
  .find(existsSync);
const PROMTOOL = PROMTOOL_ON_PATH ?? findProgram('promtool')?.path;
const why =
  PROMTOOL === undefined
    ? ' (skipped: promtool is not on PATH, nor made by "testbed/clients/testbed build prometheus")'
    : '';

const definitions = metricDefinitions();
const series = new Set(definitions.flatMap(seriesOf));
const labelsOf = new Map(
  definitions.flatMap((one) => seriesOf(one).map((name) => [name, labelsIn(one, name)] as const)),
);
const recordingNames = new Set(SLO_RECORDINGS.map(({ record }) => record));
const alertNames = ALERTS.map(({ name }) => name);
const testFiles = globSync(join(ROOT, 'deploy/monitoring/*.test.yaml'));
const alertTests = testFiles.map((path) => readFileSync(path, 'utf8')).join('');
const runbooks = readFileSync(join(ROOT, 'docs/operators/runbooks.md'), 'utf8');

/** Labels that Prometheus adds to scraped series. */
const TARGET_LABELS = ['instance', 'job'];

/** Names in a text that look like those of metrics. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:fairway|workqueue|controller_runtime)_[a-z_]+/g)].map(([name]) => name);
}

/** Unknown metrics and labels in an expression. */
function mistakesIn(expression: string): readonly string[] {
  const { errors, selectors, grouping } = readPromQL(expression);
  const read = selectors.flatMap(({ metrics, labels }) => metrics.map((metric) => ({ metric, labels })));
  const known = new Set([...TARGET_LABELS, ...read.flatMap(({ metric }) => labelsOf.get(metric) ?? [])]);
  const wrong = read.flatMap(({ metric, labels }) => {
    const knownLabels = recordingNames.has(metric) ? [] : labelsOf.get(metric);
    if (knownLabels === undefined) return [metric];
    return labels
      .filter((label) => !knownLabels.includes(label) && !TARGET_LABELS.includes(label))
      .map((label) => `${metric}{${label}}`);
  });
  return [...errors, ...wrong, ...grouping.filter((label) => !known.has(label))];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
}

const dashboards = globSync('dashboards/*.json', { cwd: MONITORING }).map((path): [string, Dashboard] => [
  basename(path),
  JSON.parse(readFileSync(join(MONITORING, path), 'utf8')) as Dashboard,
]);

describe('metrics', () => {
  it('exist in the code, once each', () => {
    expect(definitions).toHaveLength(constructedMetrics());
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(definitions.length);
  });

  it('have names that follow Prometheus’ advice', () => {
    const misnamed = definitions.filter(({ name, type }) => {
      if ((type === 'counter') !== name.endsWith('_total')) return true;
      return type === 'histogram' && !/_(seconds|bytes)$/.test(name);
    });
    expect(misnamed).toEqual([]);
  });

  it('match the operators’ page (npm run generate:metrics)', () => {
    const page = readFileSync(join(ROOT, 'docs/operators/metrics.md'), 'utf8');
    expect(page).toBe(withTable(page, definitions));
  });
});

describe('Prometheus rules', () => {
  test.each(SLO_RECORDINGS)('$record reads existing metrics', ({ expr }) => {
    expect(mistakesIn(expr)).toEqual([]);
  });

  test.each(ALERTS)(
    '$name reads existing metrics, and has a summary, a description, a runbook and tests',
    ({ name, ...alert }) => {
      expect(mistakesIn(alert.expr)).toEqual([]);
      expect(alert.summary).toMatch(/^.+\.$/);
      const { selectors, grouping } = readPromQL(alert.expr);
      const own = selectors.flatMap(({ metrics }) => metrics.flatMap((metric) => labelsOf.get(metric) ?? []));
      const labels = [...TARGET_LABELS, ...grouping, ...own];
      const mentionedLabels = [...alert.description.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      expect(mentionedLabels.filter((label) => !labels.includes(label))).toEqual([]);
      const [, section = ''] = runbooks.split(`## ${name}\n`);
      const held = alert.for === '0m' ? '' : `, after ${alert.for}`;
      const severity = alert.severity[0]?.toUpperCase() + alert.severity.slice(1);
      expect(section).toMatch(new RegExp(`^\\n\\*${severity}${held}\\.\\*`));
      const [text = ''] = section.split('\n## ', 1);
      const parts = [...text.matchAll(/^\*\*(\w+)\*\*: \S/gm)].map(([, part]) => part);
      expect(parts).toEqual(['Meaning', 'Impact', 'Diagnosis', 'Mitigation']);
      expect(alertTests).toContain(`- name: ${name} fires\n`);
      expect(alertTests).toContain(`- name: ${name} is quiet\n`);
    },
  );

  it('have runbooks, in the same order, with existing metrics', () => {
    expect([...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(alertNames);
    for (const name of alertNames) {
      expect(rulesText()).toContain(`runbook_url: docs/operators/runbooks.md#${name.toLowerCase()}\n`);
    }
    const names = new Set([...series, ...definitions.map(({ name }) => name)]);
    expect(metricsIn(runbooks).filter((name) => !names.has(name))).toEqual([]);
  });

  it('have runbooks with valid commands', () => {
    const commands = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');
    const named = [...runbooks.matchAll(/`fairway ([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)/g)].map(([, words = '']) => words);
    const unknown = named.filter((words) => !commands.includes(`# fairway ${words}\n`));
    expect(named.length).toBeGreaterThan(3);
    expect(unknown).toEqual([]);
  });

  it.skipIf(why !== '')(`are valid for promtool, and fire as expected${why}`, () => {
    const tool = (...args: readonly string[]) => execFileSync(PROMTOOL ?? '', args, { encoding: 'utf8' });
    expect(tool('check', 'rules', join(MONITORING, 'alerts.yaml'))).toContain(
      `${alertNames.length + recordingNames.size} rules found`,
    );
    expect(tool('test', 'rules', ...testFiles)).toContain('SUCCESS');
  });
});

describe.each(dashboards)('the dashboard %s', (name, { uid, panels, templating }) => {
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('shows existing metrics', () => {
    expect(uid).toMatch(/^fairway-/);
    expect(expressions.length).toBeGreaterThan(0);
    const queries = templating.list.map(({ query }) => JSON.stringify(query));
    expect(expressions.flatMap(mistakesIn)).toEqual([]);
    expect(queries.flatMap(metricsIn).filter((metric) => !series.has(metric))).toEqual([]);
  });

  it.skipIf(why !== '')(`has expressions that promtool parses${why}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-dashboard-'));
    try {
      const rules = expressions.map((expr, index) => ({
        record: `panel_${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'x'),
      }));
      const file = join(folder, 'rules.json');
      // YAML is a superset of JSON.
      writeFileSync(file, JSON.stringify({ groups: [{ name, rules }] }));
      const output = execFileSync(PROMTOOL ?? '', ['check', 'rules', file], { encoding: 'utf8' });
      expect(output).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Number of metrics created in the code, to check that none is missed. */
function constructedMetrics(): number {
  const texts = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'));
  return texts.reduce(
    (sum, text) => sum + [...text.matchAll(/new (?:Counter|Gauge|Histogram)(?:<[^>]*>)?\(/g)].length,
    0,
  );
}

/** Series of a metric in Prometheus. */
function seriesOf({ name, type }: MetricDefinition): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** Labels of one of a metric's series. */
function labelsIn({ labels, type }: MetricDefinition, name: string): readonly string[] {
  return type === 'histogram' && name.endsWith('_bucket') ? [...labels, 'le'] : labels;
}
