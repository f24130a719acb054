import { defineConfig } from 'vitest/config';

/** `unit` runs in one process and takes seconds; `system` starts whole Fairways, kills them, and uses real clients. */
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
          // None is about how fast the machine is: the limit only ends what hangs.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 100_000 } },
        },
      },
      {
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 120_000 } },
        },
      },
    ],
  },
});
