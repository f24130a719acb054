import { entryProvenBy, type FieldLedger } from './entry.ts';

export const UPGRADE_PLAN_REQUEST_FIELDS: FieldLedger = {
  'spec.version': entryProvenBy(
    'acts',
    'packages/controllers/src/upgrade-preview/preview.test.ts',
    'is $to: $reason',
    'the plan is made for a request, and requests are never cached',
  ),
};
