import { type FieldLedger, provenBy } from './entry.ts';

export const UPGRADE_PLAN_REQUEST_FIELDS: FieldLedger = {
  'spec.version': provenBy(
    'acts',
    'packages/controllers/src/upgrade-preview/preview.test.ts',
    'goes to $to: $reason',
    'the plan is made for a request, which no cache holds',
  ),
};
