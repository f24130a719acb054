import { defineConfig } from 'vitest/config';

/** `unit` runs in one process and takes seconds; `system` starts whole Fairways, kills them, and uses real clients. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
