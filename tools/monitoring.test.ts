import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type MetricDefinition, metricDefinitions, withTable } from './metrics.ts';

const ROOT = join(import.meta.dirname, '..');
const MONITORING = join(ROOT, 'deploy/monitoring');
const PROMTOOL = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'promtool'))
  .find(existsSync);
const why = PROMTOOL === undefined ? ' (skipped: promtool is not on PATH; it is in Debian’s package prometheus)' : '';

const definitions = metricDefinitions();
const series = new Set(definitions.flatMap(seriesOf));
const alerts = readFileSync(join(MONITORING, 'alerts.yaml'), 'utf8');
const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const runbooks = readFileSync(join(ROOT, 'docs/operators/runbooks.md'), 'utf8');

/** Names in an expression that look like metrics. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:fairway|workqueue|controller_runtime)_[a-z_]+/g)].map(([name]) => name);
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
  it('are all found in the code, once each', () => {
    expect(definitions).toHaveLength(constructedMetrics());
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(definitions.length);
  });

  it('are named as Prometheus advises', () => {
    const misnamed = definitions.filter(({ name, type }) => {
      if ((type === 'counter') !== name.endsWith('_total')) return true;
      return type === 'histogram' && !/_(seconds|bytes)$/.test(name);
    });
    expect(misnamed).toEqual([]);
  });

  it('are those of the page for operators: npm run generate:metrics', () => {
    const page = readFileSync(join(ROOT, 'docs/operators/metrics.md'), 'utf8');
    expect(page).toBe(withTable(page, definitions));
  });
});

describe('alerts', () => {
  it('use metrics that there are', () => {
    expect(metricsIn(alerts.replaceAll(/^.*runbook:.*$/gm, '')).filter((name) => !series.has(name))).toEqual([]);
  });

  test.each(alertNames)('%s has severity, words, a runbook, and a test', (name) => {
    const [, rule = ''] = alerts.split(`- alert: ${name}\n`);
    const [own = ''] = rule.split('- alert:');
    expect(own).toMatch(/severity: (critical|warning|info)\n/);
    expect(own).toMatch(/summary: ".+"\n {10}description: ".+"\n/);
    expect(own).toContain(`runbook: docs/operators/runbooks.md#${name.toLowerCase()}`);
    const [, section = ''] = runbooks.split(`## ${name}\n`);
    expect(section).toMatch(/^\n\*(Critical|Warning|Info)[^]*?\*\*Look at\*\*: [^]*?\*\*Do\*\*: /);
    expect(readFileSync(join(MONITORING, 'alerts.test.yaml'), 'utf8')).toContain(`- name: ${name} fires\n`);
  });

  it('are those that have runbooks, whose metrics exist', () => {
    expect([...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(alertNames);
    const names = new Set([...series, ...definitions.map(({ name }) => name)]);
    expect(metricsIn(runbooks).filter((name) => !names.has(name))).toEqual([]);
  });

  it('have runbooks with commands that there are', () => {
    const commands = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');
    const named = [...runbooks.matchAll(/`fairway ([a-z]+(?: [a-z]+)?)/g)].map(([, words = '']) => words);
    const unknown = named.filter((words) => !commands.includes(`# fairway ${words}\n`));
    expect(named.length).toBeGreaterThan(3);
    expect(unknown).toEqual([]);
  });

  it.skipIf(why !== '')(`are right by promtool, and fire when they should${why}`, () => {
    const tool = (...args: readonly string[]) => execFileSync(PROMTOOL ?? '', args, { encoding: 'utf8' });
    expect(tool('check', 'rules', join(MONITORING, 'alerts.yaml'))).toContain(`${alertNames.length} rules found`);
    expect(tool('test', 'rules', join(MONITORING, 'alerts.test.yaml'))).toContain('SUCCESS');
  });
});

describe.each(dashboards)('the dashboard %s', (name, { uid, panels, templating }) => {
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('shows metrics that there are', () => {
    expect(uid).toMatch(/^fairway-/);
    expect(expressions.length).toBeGreaterThan(0);
    const queries = templating.list.map(({ query }) => JSON.stringify(query));
    expect([...expressions, ...queries].flatMap(metricsIn).filter((metric) => !series.has(metric))).toEqual([]);
  });

  it.skipIf(why !== '')(`has expressions that promtool reads${why}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-dashboard-'));
    try {
      const rules = expressions.map((expr, index) => ({
        record: `panel_${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'x'),
      }));
      const file = join(folder, 'rules.json');
      // YAML is a superset of JSON.
      writeFileSync(file, JSON.stringify({ groups: [{ name, rules }] }));
      const answer = execFileSync(PROMTOOL ?? '', ['check', 'rules', file], { encoding: 'utf8' });
      expect(answer).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** How many metrics the code makes, in whatever way, to see that none is missed. */
function constructedMetrics(): number {
  const texts = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'));
  return texts.reduce(
    (sum, text) => sum + [...text.matchAll(/new (?:Counter|Gauge|Histogram)(?:<[^>]*>)?\(/g)].length,
    0,
  );
}

/** Series that Prometheus sees of a metric. */
function seriesOf({ name, type }: MetricDefinition): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
