import { type FieldLedger, informs } from './entry.ts';

const FILE = 'packages/controllers/src/cloud-profile/reconciler.test.ts';

/** Fairway writes the spec itself: it says what the lists in the status are about. */
export const CLOUD_PROFILE_FIELDS: FieldLedger = {
  'spec.cloud': informs(FILE, 'a profile of another cloud than the namespace has now is made anew'),
  'spec.credentialName': informs(FILE, 'each cloud that the namespace may use has a profile'),
};
