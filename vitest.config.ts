import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What packs this checkout or makes whole hosts of this machine: nothing else may run meanwhile. */
const ALONE = [
  'tests/{canal,dual-stack,image,in-cluster,metrics-server,package,systemd}.test.ts',
  'tests/real-{network,nodes,vm,volumes}.test.ts',
];

/** The controllers' behaviour tests against each kube-apiserver that is found. */
const ENGINES = 'tests/engines*.test.ts';

/** Small files that take minutes. Vitest starts large files first: these would run last, one by one. */
const LONG = /\/tests\/(stories\/crash|process-(certificates|limits|quota))\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => LONG.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !LONG.test(moduleId)),
    ];
  }
}

/** Limits only end what hangs: no test is about how fast the machine is. */
const SYSTEM = {
  pool: 'forks',
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
} as const;

/** Many files in each of a few threads: what they import is loaded once. */
const IN_PROCESS = {
  pool: 'threads',
  isolate: false,
  maxWorkers: '100%',
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
} as const;

const BEHAVIOUR = 'packages/*/src/behaviour/**/*.test.ts';

/**
 * - `unit`: pure functions and single parts. No server, no program, no clock but the test's.
 * - `behaviour`: Fairway, API servers and the simulated cloud in this process.
 * - `system`: whole Fairways as processes, killed and driven by real clients, two files at a time; `system-alone` comes after
 *   it, then `engines`. `tests/stories` are those of them that `npm test` runs.
 */
export default defineConfig({
  test: {
    reporters: ['default', './tools/skips/reporter.ts'],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...IN_PROCESS,
          name: 'unit',
          setupFiles: ['tools/property-seed.ts', 'tools/unit-tests-alone.ts'],
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [BEHAVIOUR],
        },
      },
      {
        test: {
          ...IN_PROCESS,
          name: 'behaviour',
          setupFiles: ['tools/property-seed.ts'],
          include: [BEHAVIOUR],
        },
      },
      {
        test: {
          ...SYSTEM,
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [...ALONE, ENGINES],
          // Half of the time they wait, for a control plane or the testbeds; more at once than that is more than the testbeds bear.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...SYSTEM,
          name: 'system-alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...SYSTEM,
          name: 'engines',
          include: [ENGINES],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
