import { relative } from 'node:path';
import { BLIND_VARIABLE } from '@fairway/api/testing/blind';
import { afterEach, beforeAll, beforeEach, type RunnerTask, type RunnerTestCase } from 'vitest';
import { fieldsOf, REPEATS_VARIABLE, type RepeatsOfFiles } from './repeats.ts';

// Importing the product takes longer than most tests, so each test is repeated once for every field that it proves.

/**
 * Time limit for waits in attempts without a field, which often wait for something that never happens: several times
 * the test's duration with the field.
 */
const DEADLINE_VARIABLE = 'FAIRWAY_TEST_DEADLINE_MS';
const MIN_DEADLINE_MS = 3_000;
const DEADLINE_FACTOR = 5;

const repeatsOfFiles = JSON.parse(process.env[REPEATS_VARIABLE] ?? '{}') as RepeatsOfFiles;

function fullNameOf(task: RunnerTask): string {
  return task.suite && task.suite.type === 'suite' && task.suite.name !== ''
    ? `${fullNameOf(task.suite)} ${task.name}`
    : task.name;
}

function blindFields(test: RunnerTestCase): readonly string[] {
  const repeats = repeatsOfFiles[relative(process.cwd(), test.file.filepath)] ?? [];
  return ['', ...fieldsOf(repeats, fullNameOf(test)), ''];
}

function* testsIn(tasks: readonly RunnerTask[]): Generator<RunnerTestCase> {
  for (const task of tasks) {
    if (task.type === 'test') yield task;
    else yield* testsIn(task.tasks);
  }
}

if (Object.keys(repeatsOfFiles).length > 0) {
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads a hook's fixtures from the pattern
  beforeAll(({}, { file }) => {
    for (const test of testsIn(file.tasks)) test.repeats = blindFields(test).length - 1;
  });
  let startedMs = 0;
  beforeEach(({ task }) => {
    const blind = blindFields(task)[task.result?.repeatCount ?? 0] ?? '';
    process.env[BLIND_VARIABLE] = blind;
    const plainMs = task.meta.ledger?.[0]?.durationMs ?? 0;
    if (blind === '') delete process.env[DEADLINE_VARIABLE];
    else process.env[DEADLINE_VARIABLE] = `${Math.max(MIN_DEADLINE_MS, DEADLINE_FACTOR * plainMs)}`;
    startedMs = performance.now();
  });
  afterEach(({ task }) => {
    task.meta.ledger ??= [];
    task.meta.ledger.push({
      blind: process.env[BLIND_VARIABLE] ?? '',
      isPassed: task.result?.state === 'pass',
      durationMs: performance.now() - startedMs,
    });
    process.env[BLIND_VARIABLE] = '';
  });
}
