import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, outcomesOf } from './report.ts';
import type { TestBinaries } from './test-binaries.ts';

export interface TestRun {
  readonly binaries: TestBinaries;
  readonly kubeconfig: string;
  /** The directory for reports and logs. */
  readonly folder: string;
  /** Stops running tests. */
  readonly signal?: AbortSignal;
}

/** Ginkgo's own limit stops a test gracefully; a test that ignores the limit is killed this much later. */
const GRACE_PERIOD_MS = 60_000;
/** The binary constructs all tests before it lists any: this takes a second, or over a minute on a busy machine. */
const LIST_TIMEOUT_MS = 300_000;

/** Names of the focused tests, in the binary's order. */
export async function listTests(testRun: TestRun, focus: string, skip: string): Promise<readonly string[]> {
  const flags = ['-ginkgo.dry-run', `-ginkgo.focus=${focus}`, ...(skip === '' ? [] : [`-ginkgo.skip=${skip}`])];
  const outcomes = await runGinkgo(testRun, 'list', flags, LIST_TIMEOUT_MS);
  if (outcomes === undefined) throw new Error(`${testRun.binaries.e2e} has listed no tests: see ${testRun.folder}`);
  return outcomes.map(({ name }) => name).filter((name) => name !== '');
}

/**
 * Runs one test in a separate process, which takes a second to start: a test that hangs or crashes does not affect
 * others.
 */
export async function runTest(testRun: TestRun, name: string, timeoutSeconds: number): Promise<Outcome> {
  const started = performance.now();
  const flags = [
    `-ginkgo.focus= ${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`,
    `-ginkgo.timeout=${timeoutSeconds}s`,
    '-ginkgo.grace-period=5s',
    '-node-schedulable-timeout=1m',
    '-system-pods-startup-timeout=1m',
    '-system-daemonsets-startup-timeout=30s',
    '-disable-log-dump',
    '-dump-logs-on-failure=false',
  ];
  const outcomes = await runGinkgo(testRun, fileNameOf(name), flags, timeoutSeconds * 1000 + GRACE_PERIOD_MS);
  const seconds = (performance.now() - started) / 1000;
  const own = outcomes?.find((outcome) => outcome.name === name);
  const before = outcomes?.find((outcome) => outcome.name === '');
  if (own === undefined || (own.state === 'skipped' && before !== undefined)) {
    return { name, state: 'failed', seconds, why: before?.why ?? `has not ended after ${Math.round(seconds)} s` };
  }
  return own;
}

/** The report; undefined if there is none. */
async function runGinkgo(
  { binaries, kubeconfig, folder, signal }: TestRun,
  name: string,
  flags: readonly string[],
  timeoutMs: number,
): Promise<readonly Outcome[] | undefined> {
  const report = join(folder, `${name}.json`);
  const log = openSync(join(folder, `${name}.log`), 'w');
  const common = [
    `-kubeconfig=${kubeconfig}`,
    '-provider=skeleton',
    `-kubectl-path=${binaries.kubectl}`,
    '-ginkgo.v',
    '-ginkgo.no-color',
    '-ginkgo.seed=1',
    `-ginkgo.json-report=${report}`,
  ];
  const ending = signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const };
  const child = spawn(binaries.e2e, [...common, ...flags], { cwd: folder, stdio: ['ignore', log, log], ...ending });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    await once(child, 'close');
  } finally {
    clearTimeout(timer);
    closeSync(log);
  }
  const text = await readFile(report, 'utf8').catch(() => '');
  // The report also lists all unfocused tests.
  await rm(report, { force: true });
  try {
    return outcomesOf(text);
  } catch (error) {
    // The report is missing or truncated: the process was killed.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fileNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 180);
}
