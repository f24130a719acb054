import type { FieldLedger } from './entry.ts';

/** It has no fields. */
export const CLOUD_RESOURCES_REQUEST_FIELDS: FieldLedger = {};
