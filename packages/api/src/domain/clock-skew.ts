/**
 * Tolerated clock skew between replicas, in milliseconds, for cases in which one replica relies on times announced by
 * another.
 */
export const MAX_CLOCK_SKEW_MS = 300_000;
