import { acts, type FieldLedger, inColumn } from './entry.ts';

/** Fairway writes the spec itself: it is the subject of the lists in the status. */
export const CLOUD_PROFILE_FIELDS: FieldLedger = {
  'spec.cloud': acts(
    'packages/controllers/src/behaviour/cloud-profile/reconciler.test.ts',
    'a profile is refreshed every $minutes minutes if used: $used, regardless of changes, and written only when it changes',
  ),
  'spec.credentialName': inColumn(),
};
