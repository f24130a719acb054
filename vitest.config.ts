import { defineConfig } from 'vitest/config';

/** What packs this checkout or makes whole hosts of this machine: nothing else may run meanwhile. */
const ALONE = [
  'tests/{canal,dual-stack,image,in-cluster,metrics-server,package,systemd}.test.ts',
  'tests/real-{network,nodes,vm,volumes}.test.ts',
];

/** Limits only end what hangs: no test is about how fast the machine is. */
const SYSTEM = {
  pool: 'forks',
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
} as const;

/** `unit` runs in one process and takes minutes; `system` starts whole Fairways, kills them, and uses real clients, two files at a time; `system-alone` comes after it. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['tools/property-seed.ts'],
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 100_000 } },
        },
      },
      {
        test: {
          ...SYSTEM,
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: ALONE,
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
    ],
  },
});
