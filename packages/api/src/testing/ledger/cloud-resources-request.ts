import type { FieldLedger } from './entry.ts';

/** The kind has no fields. */
export const CLOUD_RESOURCES_REQUEST_FIELDS: FieldLedger = {};
