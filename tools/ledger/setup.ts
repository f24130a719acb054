import { relative } from 'node:path';
import { BLIND_VARIABLE } from '@fairway/api/testing/blind';
import { afterEach, beforeAll, beforeEach, type RunnerTask, type RunnerTestCase } from 'vitest';
import { fieldsOf, REPEATS_VARIABLE, type RepeatsOfFiles } from './repeats.ts';

// Importing the product takes longer than most tests, so each test is repeated, once for every field that it proves.

const repeatsOfFiles = JSON.parse(process.env[REPEATS_VARIABLE] ?? '{}') as RepeatsOfFiles;

function fullNameOf(task: RunnerTask): string {
  return task.suite && task.suite.type === 'suite' && task.suite.name !== ''
    ? `${fullNameOf(task.suite)} ${task.name}`
    : task.name;
}

function blinds(test: RunnerTestCase): readonly string[] {
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
    for (const test of testsIn(file.tasks)) test.repeats = blinds(test).length - 1;
  });
  beforeEach(({ task }) => {
    process.env[BLIND_VARIABLE] = blinds(task)[task.result?.repeatCount ?? 0];
  });
  afterEach(({ task }) => {
    task.meta.ledger ??= [];
    task.meta.ledger.push({ blind: process.env[BLIND_VARIABLE] ?? '', isPassed: task.result?.state === 'pass' });
    process.env[BLIND_VARIABLE] = '';
  });
}
