import type { FieldLedger } from './entry.ts';

/** It has no fields. */
export const QUOTAS_REQUEST_FIELDS: FieldLedger = {};
