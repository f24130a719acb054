import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that package this checkout or turn this machine into hosts: no other test may run at the same time. */
const ISOLATED_TESTS = [
  'tests/{canal,dual-stack,image,in-cluster,metrics-server,package,systemd}.test.ts',
  'tests/real-{network,nodes,vm,volumes}.test.ts',
];

/** The controllers' behaviour tests, run against every kube-apiserver that is found. */
const ENGINE_TESTS = 'tests/engines*.test.ts';

/**
 * Small files that take minutes. Vitest starts large files first, so these would otherwise run last, one after another.
 */
const LONG_TESTS = /\/tests\/(stories\/crash|process-(certificates|limits|quota))\.test\.ts$/;

class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => LONG_TESTS.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !LONG_TESTS.test(moduleId)),
    ];
  }
}

/** Timeouts only end tests that hang: no test measures the speed of the machine. */
const SYSTEM_OPTIONS = {
  pool: 'forks',
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
} as const;

/** Runs many files in each of a few threads, so that modules are loaded once per thread. */
const IN_PROCESS_OPTIONS = {
  pool: 'threads',
  isolate: false,
  maxWorkers: '100%',
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
} as const;

const BEHAVIOUR_TESTS = 'packages/*/src/behaviour/**/*.test.ts';

/**
 * - `unit`: pure functions and single parts, without servers, external programs or any clock other than the test's.
 * - `behaviour`: Fairway, API servers and the simulated cloud, all in this process.
 * - `system`: complete Fairway processes, which real clients drive and tests kill, two files at a time.
 *   `system-alone` follows, then `engines`. Of these tests, `npm test` runs only those in `tests/stories`.
 */
export default defineConfig({
  test: {
    reporters: ['default', './tools/skips/reporter.ts'],
    sequence: { sequencer: LongFirstSequencer },
    projects: [
      {
        test: {
          ...IN_PROCESS_OPTIONS,
          name: 'unit',
          setupFiles: ['tools/property-seed.ts', 'tools/unit-tests-alone.ts'],
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [BEHAVIOUR_TESTS],
        },
      },
      {
        test: {
          ...IN_PROCESS_OPTIONS,
          name: 'behaviour',
          setupFiles: ['tools/property-seed.ts'],
          include: [BEHAVIOUR_TESTS],
        },
      },
      {
        test: {
          ...SYSTEM_OPTIONS,
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [...ISOLATED_TESTS, ENGINE_TESTS],
          // Half of the time, the tests wait for a control plane or the testbeds, which cannot handle more files at a
          // time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...SYSTEM_OPTIONS,
          name: 'system-alone',
          include: ISOLATED_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...SYSTEM_OPTIONS,
          name: 'engines',
          include: [ENGINE_TESTS],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
