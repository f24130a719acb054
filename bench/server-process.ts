import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node flags for the processes under test, to profile them: `BENCH_SERVER_FLAGS=--cpu-prof npm run bench -- idle`. */
export function serverFlags(): string[] {
  return process.env['BENCH_SERVER_FLAGS']?.split(' ') ?? [];
}

/**
 * The flags with which `fairway up` and `fairway serve` run (packages/cli/bin/fairway.js), and those of `serverFlags`.
 */
export function fairwayFlags(): string[] {
  return ['--max-semi-space-size=8', ...serverFlags()];
}

/** Environment variables for processes with `fairwayFlags`. */
export function fairwayEnv(): NodeJS.ProcessEnv {
  return { MALLOC_ARENA_MAX: '2', ...serverEnv() };
}

/** Environment variables of the processes: like the `fairway` command, they cache compiled code between starts. */
export function serverEnv(): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env };
}
