/** How far the clocks of replicas may differ, in milliseconds, where one keeps to what another has told. */
export const MAX_CLOCK_SKEW_MS = 300_000;
