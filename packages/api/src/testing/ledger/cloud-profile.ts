import { acts, type FieldLedger, inColumn } from './entry.ts';

/** Fairway writes the spec itself: it identifies the cloud that the lists in the status describe. */
export const CLOUD_PROFILE_FIELDS: FieldLedger = {
  'spec.cloud': acts(
    'packages/controllers/src/behaviour/cloud-profile/reconciler.test.ts',
    'a profile (used: $used) is refreshed every $minutes minutes regardless of changes, and written only when it changes',
  ),
  'spec.credentialName': inColumn(),
};
