import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inParallel } from '@fairway/base/in-parallel';
import { openCluster, type TestedCluster } from './clusters.ts';
import { isListed } from './needs-containers.ts';
import { openRealNodes } from './real-nodes.ts';
import { renderPage, renderTable } from './render-page.ts';
import type { Outcome } from './report.ts';
import { CLUSTER_KINDS, type ClusterKind, merge, Results } from './results.ts';
import { listTests, runTest, type TestRun } from './run-test.ts';
import { findTestBinaries, HOW_TO_BUILD, KUBERNETES, type TestBinaries } from './test-binaries.ts';

// Kubernetes' own conformance tests against Fairway's clusters: npm run conformance [-- FOCUS]. Writes docs/conformance.md and its table.

const RESULTS_FILE = join(import.meta.dirname, 'results.json');
const PAGE_FILE = join(import.meta.dirname, '../../docs/conformance.md');
const TABLE_FILE = join(import.meta.dirname, '../../docs/conformance.json');
/** The error if Go is missing or the tests have not been built. */
const EXIT_MISSING = 3;
const DEFAULT_FOCUS = '\\[sig-';
/** Tests that require exclusive use of the cluster. */
const SERIAL_TEST_PATTERN = /\[(?:Serial|Disruptive)\]/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Kinds of clusters; by default the first two. */
    cluster: { type: 'string', multiple: true, default: ['hollow', 'process'] },
    /** For `--cluster nodes`: kubeconfig of an existing cluster whose nodes can pull the tests' images. */
    kubeconfig: { type: 'string' },
    /** A pattern of test names, like `focus`. */
    skip: { type: 'string', default: '' },
    /** Include tests that are known to need containers. */
    all: { type: 'boolean', default: false },
    /** Run only tests without a result, to continue an interrupted run. */
    rest: { type: 'boolean', default: false },
    /** Write the page and its table from stored results, without running tests. */
    page: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '4' },
    /**
     * Time limit for a test in seconds: one test waits for kube-controller-manager's resync, which takes 300; two
     * etcd compactions take 600.
     */
    limit: { type: 'string', default: '360' },
  },
});

/** Ctrl-C stops the tests and their cluster. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error('stopped')));

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  if (values.page) {
    writePage(readResults());
    return 0;
  }
  const kinds = values.cluster.map(kindOf);
  const binaries = findTestBinaries();
  if (binaries === undefined) {
    print(HOW_TO_BUILD);
    return EXIT_MISSING;
  }
  const focus = positionals.length > 0 ? positionals.join('|') : DEFAULT_FOCUS;
  let failures = 0;
  for (const kind of kinds) failures += await runOn(kind, binaries, focus);
  return failures === 0 ? 0 : 1;
}

/** Resolves with the number of tests that failed, or passed even though they are listed as needing containers. */
async function runOn(kind: ClusterKind, binaries: TestBinaries, focus: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), `conformance-${kind}-`));
  print(`${kind}: ${CLUSTER_KINDS[kind].replaceAll('`', '')}; logs are in ${folder}`);
  const cluster = await open(kind, binaries.folder);
  try {
    const testRun: TestRun = { binaries, kubeconfig: cluster.kubeconfig, folder, signal: stopping.signal };
    const all = await listTests(testRun, focus, values.skip);
    const conformance = all.filter((name) => name.includes('[Conformance]'));
    const known = values.rest ? (readResults().clusters[kind]?.tests ?? {}) : {};
    const chosen = conformance
      .filter((name) => values.all || kind === 'nodes' || !isListed(name))
      .filter((name) => !Object.hasOwn(known, name));
    print(`${kind}: ${chosen.length} of ${conformance.length} tests`);
    const outcomes = await runAll(kind, testRun, chosen);
    return reportOutcomes(kind, outcomes);
  } finally {
    await cluster.close();
  }
}

async function runAll(kind: ClusterKind, testRun: TestRun, chosen: readonly string[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const run = async (name: string) => {
    const outcome = await runTest(testRun, name, Number(values.limit));
    outcomes.push(outcome);
    record(kind, outcome);
    const { state, seconds, why } = outcome;
    const done = `${outcomes.length}/${chosen.length}`;
    print(`${kind} ${done} ${state} ${seconds.toFixed(1)} s  ${name}${why === '' ? '' : `\n    ${why}`}`);
  };
  const [serial, concurrent] = [
    chosen.filter((name) => SERIAL_TEST_PATTERN.test(name)),
    chosen.filter((name) => !SERIAL_TEST_PATTERN.test(name)),
  ];
  await inParallel(concurrent, Number(values.parallel), run);
  await inParallel(serial, 1, run);
  return outcomes;
}

async function open(kind: ClusterKind, binaries: string): Promise<TestedCluster> {
  if (kind !== 'nodes') return openCluster(kind, binaries);
  const { kubeconfig } = values;
  return kubeconfig === undefined ? openRealNodes(binaries) : { kubeconfig, close: () => Promise.resolve() };
}

/**
 * Writes immediately, so that an interrupted run keeps its results; runs on other kinds of clusters may write
 * concurrently.
 */
function record(kind: ClusterKind, outcome: Outcome): void {
  const date = new Date().toISOString().slice(0, 10);
  const results = merge(readResults(), { kubernetes: KUBERNETES, kind, date }, [outcome]);
  writeFileSync(RESULTS_FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  writePage(results);
}

function writePage(results: Results): void {
  writeFileSync(PAGE_FILE, renderPage(results));
  writeFileSync(TABLE_FILE, renderTable(results));
}

function readResults(): Results {
  return Results.parse(JSON.parse(readFileSync(RESULTS_FILE, 'utf8')));
}

function reportOutcomes(kind: ClusterKind, outcomes: readonly Outcome[]): number {
  const outcomesIn = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state);
  const unexpectedPasses = kind === 'nodes' ? [] : outcomesIn('passed').filter(({ name }) => isListed(name));
  const failed = outcomesIn('failed').filter(({ name }) => kind === 'nodes' || !isListed(name));
  for (const { name } of unexpectedPasses)
    print(`passes, although tools/conformance/needs-containers.ts lists it as needing containers: ${name}`);
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const counts = `${outcomesIn('passed').length} of ${outcomes.length} passed, ${outcomesIn('skipped').length} skipped`;
  print(`${kind}: ${counts}, ${failed.length} failed; ${Math.round(seconds)} s of tests`);
  return failed.length + unexpectedPasses.length;
}

function kindOf(text: string): ClusterKind {
  if (Object.hasOwn(CLUSTER_KINDS, text)) return text as ClusterKind;
  throw new Error(`no kind of cluster ${text}; there are ${Object.keys(CLUSTER_KINDS).join(', ')}`);
}

process.exitCode = await main().catch((error: Error) => {
  print(error.message);
  return 1;
});
