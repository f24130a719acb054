/** Tolerated clock skew between replicas in milliseconds, where one replica relies on times announced by another. */
export const MAX_CLOCK_SKEW_MS = 300_000;
