import type { FieldLedger } from './entry.ts';

/** The kind has no fields. */
export const QUOTAS_REQUEST_FIELDS: FieldLedger = {};
