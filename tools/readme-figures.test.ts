import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const readme = read('README.md');
const limits = read('docs/limits.md');
const conformance = JSON.parse(read('docs/conformance.json')) as {
  readonly kubernetes: string;
  readonly tests: Readonly<Record<string, Readonly<Record<'hollow' | 'process' | 'nodes', string>>>>;
};
const benchmarks = read('docs/benchmarks.md');

/** The cells of a row below a heading in docs/benchmarks.md, without emphasis. */
function figuresOf(heading: string, row: string): readonly string[] {
  const [, section = ''] = benchmarks.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const line = text.split('\n').find((each) => each.startsWith(`| ${row} |`)) ?? '';
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.replaceAll('*', '').trim());
}

/** The numbers that the pattern's groups match; empty if it does not match. */
function numbersIn(text: string, pattern: RegExp): readonly number[] {
  return (pattern.exec(text) ?? []).slice(1).map(Number);
}

describe('README quotes the figures in docs/benchmarks.md', () => {
  const growth = 'Growth: 1,000 clusters of 10 nodes';

  test('memory and CPU for a thousand clusters', () => {
    const [memory = ''] = figuresOf(growth, 'resident memory per cluster; without clusters, MiB');
    const [cpu = ''] = figuresOf(growth, 'CPU, idle, % of a core');

    expect(numbersIn(readme, /ten nodes takes \[([\d.]+) MiB of memory\]/)).toEqual([Number.parseFloat(memory)]);
    expect(numbersIn(readme, /a thousand take ([\d.]+) % of one core/)).toEqual([Math.round(Number(cpu))]);
  });

  test.each([
    {
      what: 'load balancers',
      row: figuresOf('Load balancers: Fairway, and cloud-provider-openstack 1.36.0', '20 new Services at once'),
      pattern: /Twenty new load balancers take \[(\d+) calls\]\(docs\/benchmarks\.md\), cloud-provider-openstack (\d+)/,
    },
    {
      what: 'volumes',
      row: figuresOf('CSI controllers: Fairway, and cinder-csi-plugin 1.36.0', '20 made and attached at once'),
      pattern: /twenty volumes take (\d+), cinder-csi-plugin (\d+)/,
    },
  ])('calls for twenty $what', ({ row, pattern }) => {
    expect(
      row
        .slice(0, 2)
        .map(Number)
        .every((count) => count > 0),
    ).toBe(true);
    expect(numbersIn(readme, pattern)).toEqual(row.slice(0, 2).map(Number));
  });

  test('the share that Fairway adds to an upgrade', () => {
    const shares = figuresOf('Upgrades of 100 nodes', 'share that Fairway adds, %').slice(0, 4).map(Number);

    expect(numbersIn(readme, /\[at most ([\d.]+) %\]\(docs\/benchmarks\.md\) of the time for (\d+) nodes/)).toEqual([
      Math.max(...shares),
      100,
    ]);
  });
});

describe('figures quoted from docs/conformance.json', () => {
  const results = Object.values(conformance.tests);
  const passedTests = (kind: 'hollow' | 'process' | 'nodes') =>
    results.filter((each) => each[kind] === 'passed').length;
  const notRun = results.filter(({ nodes }) => nodes === 'not run').length;
  const run = results.length - notRun;

  test('are correct in README', () => {
    expect(numbersIn(readme, /real nodes: (\d+) of the (\d+) tests that have run pass \| (\d+) have not run/)).toEqual([
      passedTests('nodes'),
      run,
      notRun,
    ]);
    expect(readme).toContain(`Kubernetes ${conformance.kubernetes.replace(/\.\d+$/, '')} |`);
  });

  test('are correct in docs/limits.md', () => {
    expect(limits).toContain(`Of Kubernetes ${conformance.kubernetes}'s ${results.length} [conformance tests]`);
    expect(
      numbersIn(limits, /(\d+) pass on process-based control planes with hollow nodes, and (\d+) on the embedded/),
    ).toEqual([passedTests('process'), passedTests('hollow')]);
    const needContainers = results.filter(({ hollow }) => hollow.startsWith('needs containers')).length;
    expect(limits).toContain(`; ${needContainers} need containers.`);
    expect(numbersIn(limits, /, (\d+) have run: (\d+) pass, and \[(\d+) do not\]/)).toEqual([
      run,
      passedTests('nodes'),
      run - passedTests('nodes'),
    ]);
  });
});
