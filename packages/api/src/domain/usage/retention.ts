/** Default retention of usage records: 13 months. */
export const DEFAULT_RETENTION_DAYS = 400;
export const DAY_MS = 86_400_000;
