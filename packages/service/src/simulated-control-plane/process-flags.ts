/**
 * Each process serves a few nodes, and there may be many processes, so the young generation is small and there are few
 * malloc arenas.
 */
export const SIMULATED_PROCESS_FLAGS: readonly string[] = ['--max-semi-space-size=2'];
export const SIMULATED_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };
