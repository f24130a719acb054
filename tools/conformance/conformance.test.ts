import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTAINER_REQUIREMENTS, isListed } from './needs-containers.ts';
import { renderPage, renderTable } from './render-page.ts';
import { firstLine, outcomesOf } from './report.ts';
import { merge, Results } from './results.ts';

const recordedResults = Results.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'results.json'), 'utf8')));
const hollowKinds = [recordedResults.clusters.hollow, recordedResults.clusters.process];

describe('recorded conformance results', () => {
  it('match docs/conformance.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8');

    expect(page).toBe(renderPage(recordedResults));
  });

  it('match docs/conformance.json, test by test', () => {
    const table = readFileSync(join(import.meta.dirname, '../../docs/conformance.json'), 'utf8');

    expect(table).toBe(renderTable(recordedResults));
  });

  it('add up', () => {
    const page = renderPage(recordedResults);
    const rows = [...page.matchAll(/^\|[^|]+\| \d{4}-\d\d-\d\d \|(.*)\|$/gm)].map(([, numbers = '']) =>
      numbers.split('|').reduce((sum, number) => sum + Number(number), 0),
    );
    const names = new Set(Object.values(recordedResults.clusters).flatMap(({ tests }) => Object.keys(tests)));

    expect(rows).toEqual(Object.keys(recordedResults.clusters).map(() => names.size));
  });

  it('contain no test that passes without containers yet is listed as needing them', () => {
    const passed = hollowKinds.flatMap((of) =>
      Object.entries(of?.tests ?? {}).flatMap(([name, { state }]) => (state === 'passed' ? [name] : [])),
    );

    expect(passed.filter(isListed)).toEqual([]);
  });

  it('contain a test for each line in the list of tests that need containers', () => {
    const names = hollowKinds.flatMap((of) => Object.keys(of?.tests ?? {}));

    expect(CONTAINER_REQUIREMENTS.filter(({ test }) => !names.some((name) => test.test(name)))).toEqual([]);
  });
});

describe('a conformance report', () => {
  const spec = { ContainerHierarchyTexts: ['[sig-apps] Job'], LeafNodeType: 'It', RunTime: 2_000_000_000 };
  const reportOf = (...specs: readonly object[]) => JSON.stringify([{ SpecReports: specs }]);
  const failure = { Message: 'failed to wait:\n  Told to stop trying after 2s.' };

  it('lists the selected tests, and why they failed', () => {
    const report = reportOf(
      { ...spec, LeafNodeText: 'works', State: 'passed' },
      { ...spec, LeafNodeText: 'waits', State: 'timedout', Failure: failure },
      { ...spec, LeafNodeText: 'breaks', State: 'failed', Failure: failure },
      { ...spec, LeafNodeText: 'does not apply', State: 'skipped', Failure: { Message: 'one node only' } },
      { ...spec, LeafNodeText: 'was not chosen', State: 'skipped' },
    );

    expect(outcomesOf(report)).toEqual([
      { name: '[sig-apps] Job works', state: 'passed', seconds: 2, why: '' },
      { name: '[sig-apps] Job waits', state: 'failed', seconds: 2, why: 'not done in time' },
      { name: '[sig-apps] Job breaks', state: 'failed', seconds: 2, why: 'failed to wait:' },
      { name: '[sig-apps] Job does not apply', state: 'skipped', seconds: 2, why: 'one node only' },
    ]);
  });

  it('includes failures that occur before any test', () => {
    const before = {
      ...spec,
      ContainerHierarchyTexts: null,
      LeafNodeType: 'SynchronizedBeforeSuite',
      LeafNodeText: '',
    };

    expect(outcomesOf(reportOf({ ...before, State: 'failed', Failure: { Message: 'no nodes' } }))).toEqual([
      { name: '', state: 'failed', seconds: 2, why: 'no nodes' },
    ]);
  });

  it.each([
    ['Unexpected error:\n    <*errors.StatusError | 0xc000>: \n    not found', 'not found'],
    ['pods in namespace job-1234 at 0xc0001234ab', 'pods in namespace job at …'],
    ['x'.repeat(500), `${'x'.repeat(160)}…`],
  ])('parses %j as %j', (message, line) => {
    expect(firstLine(message)).toBe(line);
  });
});

describe('merging a conformance run', () => {
  const run = { kubernetes: '1.36.3', kind: 'hollow', date: '2026-01-02' } as const;
  const old: Results = {
    kubernetes: '1.36.3',
    clusters: {
      hollow: { date: '2026-01-01', tests: { a: { state: 'failed', why: 'late' }, b: { state: 'passed' } } },
      process: { date: '2026-01-01', tests: { a: { state: 'passed' } } },
    },
  };

  it('updates only its own tests’ rows', () => {
    const { clusters } = merge(old, run, [{ name: 'a', state: 'passed', seconds: 1, why: '' }]);

    expect(clusters).toEqual({
      hollow: { date: '2026-01-02', tests: { a: { state: 'passed' }, b: { state: 'passed' } } },
      process: old.clusters.process,
    });
  });

  it('starts over with another release', () => {
    const { kubernetes, clusters } = merge(old, { ...run, kubernetes: '1.37.0' }, []);

    expect({ kubernetes, clusters }).toEqual({
      kubernetes: '1.37.0',
      clusters: { hollow: { date: '2026-01-02', tests: {} } },
    });
  });
});
