import { type FieldLedger, provenBy } from './entry.ts';

const ELSEWHERE =
  'a whole Fairway in a process of its own reads it; the test would have another project, or none, without it';

export const CLOUD_CREDENTIAL_FIELDS: FieldLedger = {
  'spec.cloud': provenBy('acts', 'tests/tenant-credentials.test.ts', 'tells what a credential is good for', ELSEWHERE),
  'spec.secretRef.name': provenBy('acts', 'tests/tenant-credentials.test.ts', 'from the first to the last', ELSEWHERE),
  'spec.reclaimPolicy': provenBy(
    'acts',
    'tests/credential-revocation.test.ts',
    'deletes and revokes one with reclaimPolicy Delete when its last cluster is gone, and not before its first',
    'a whole Fairway in a process of its own reads it; with the default, Retain, the credential stays',
  ),
};
