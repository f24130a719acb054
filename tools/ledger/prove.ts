import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BLIND_VARIABLE } from '@fairway/api/testing/blind';
import { LEDGER } from '@fairway/api/testing/ledger/all';
import type { Proof } from '@fairway/api/testing/ledger/entry';
import { createVitest, type Reporter, type TestCase, type TestModule } from 'vitest/node';
import {
  type Attempt,
  fieldsOf,
  REPEATS_VARIABLE,
  type Repeats,
  type RepeatsOfFiles,
  titlePattern,
} from './repeats.ts';

// Proves each line of the spec field ledger: its test passes, but fails if the field is removed. `npm run ledger --
// --only NodePool` or `--only spec.etcd` proves only some lines.

/**
 * Time limit for polls and for tests that run without a field from the start, since they may wait for something that
 * never happens.
 */
const WAIT_TIMEOUT_MS = 20_000;
/** Time limit for one run of a test. */
const TEST_TIMEOUT_MS = 120_000;

interface LedgerLine {
  readonly field: string;
  readonly proof: Proof;
}

const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
const lines: readonly LedgerLine[] = Object.entries(LEDGER)
  .flatMap(([kind, fields]) => Object.entries(fields).map(([path, { proof }]) => ({ field: `${kind} ${path}`, proof })))
  .filter(({ field }) => field.includes(only));

const files = [...new Set(lines.map(({ proof }) => proof.file))];
let finished = 0;
const progress: Reporter = {
  onTestModuleEnd({ relativeModuleId }) {
    if (finished === files.length) return;
    finished += 1;
    process.stderr.write(`${finished} of ${files.length} files: ${relativeModuleId}\n`);
  },
};
const vitest = await createVitest('test', { watch: false, reporters: [progress], silent: true });
await vitest.standalone();
for (const { config } of vitest.projects) {
  config.setupFiles.push(resolve(import.meta.dirname, 'setup.ts'));
  config.testTimeout = TEST_TIMEOUT_MS;
  config.expect.poll = { ...config.expect.poll, timeout: WAIT_TIMEOUT_MS };
}

function isBlindable({ proof }: LedgerLine): boolean {
  return proof.blindingAlternative === undefined;
}

async function run(files: readonly string[], titles: readonly string[]): Promise<readonly TestModule[]> {
  const paths = files.map((file) => resolve(file));
  vitest.setGlobalTestNamePattern(titles.map(titlePattern).join('|'));
  const { testModules } = await vitest.runTestSpecifications(
    paths.flatMap((path) => vitest.getModuleSpecifications(path)),
  );
  // Modules from earlier runs are reported again.
  return testModules.filter(({ moduleId }) => paths.includes(moduleId));
}

/** The executed tests of a proof. */
function testsOf(modules: readonly TestModule[], { file, title }: Proof): readonly TestCase[] {
  const module = modules.find(({ moduleId }) => moduleId === resolve(file));
  const pattern = new RegExp(titlePattern(title));
  return [...(module?.children.allTests() ?? [])].filter(
    (test) => pattern.test(fullNameOf(test)) && test.result().state !== 'skipped',
  );
}

/** The name that patterns are matched against: suites and test, separated by spaces. */
function fullNameOf({ fullName }: TestCase): string {
  return fullName.replaceAll(' > ', ' ');
}

const repeatsOfFiles: RepeatsOfFiles = Object.fromEntries(
  files.map((file): [string, readonly Repeats[]] => {
    const own = lines.filter((line) => line.proof.file === file && isBlindable(line));
    const byTitle = Map.groupBy(own, ({ proof }) => proof.title);
    return [file, [...byTitle].map(([title, of]) => ({ title, fields: of.map(({ field }) => field) }))];
  }),
);
process.env[BLIND_VARIABLE] = '';
process.env[REPEATS_VARIABLE] = JSON.stringify(repeatsOfFiles);
const modules = await run(files, [...new Set(lines.map(({ proof }) => proof.title))]);
process.env[REPEATS_VARIABLE] = '{}';
process.env['FAIRWAY_TEST_DEADLINE_MS'] = `${WAIT_TIMEOUT_MS}`;

function attemptsOf(test: TestCase): readonly Attempt[] {
  return test.meta().ledger ?? [];
}

/**
 * Runs a test in a new worker: otherwise, setup that repeats share or that runs on import would still have the field.
 */
async function failsInitially({ field, proof }: LedgerLine): Promise<boolean> {
  process.env[BLIND_VARIABLE] = field;
  const tests = testsOf(await run([proof.file], [proof.title]), proof);
  process.env[BLIND_VARIABLE] = '';
  return tests.some((test) => test.result().state === 'failed');
}

/** Why a line is not proven; undefined if it is proven. */
async function problemOf(line: LedgerLine): Promise<string | undefined> {
  const { field, proof } = line;
  const tests = testsOf(modules, proof);
  const test = `${proof.file} ${proof.title}`;
  if (tests.length === 0) return `no test: ${test}`;
  if (tests.some((each) => attemptsOf(each)[0]?.isPassed !== true)) return `fails: ${test}`;
  if (!isBlindable(line)) return undefined;
  const repeated = tests.filter((each) => fieldsOf(repeatsOfFiles[proof.file] ?? [], fullNameOf(each)).includes(field));
  const isRepeatable = repeated.every((each) => attemptsOf(each).at(-1)?.isPassed === true);
  const isMissed = repeated.some((each) =>
    attemptsOf(each).some(({ blind, isPassed }) => blind === field && !isPassed),
  );
  if (isRepeatable && isMissed) return undefined;
  return (await failsInitially(line)) ? undefined : `passes without it: ${test}`;
}

const problems: string[] = [];
for (const line of lines) {
  const problem = await problemOf(line);
  if (problem === undefined) process.stdout.write(`${line.field}: proven\n`);
  else problems.push(`${line.field}: ${problem}`);
}
await vitest.close();
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${lines.length - problems.length} of ${lines.length} fields are proven\n`);
process.exitCode = lines.length > 0 && problems.length === 0 ? 0 : 1;
