import { entryProvenBy, type FieldLedger } from './entry.ts';

const ELSEWHERE =
  'a whole Fairway in a process of its own reads it; the test would have another project, or none, without it';

export const CLOUD_CREDENTIAL_FIELDS: FieldLedger = {
  'spec.cloud': entryProvenBy(
    'acts',
    'tests/tenant-credentials.test.ts',
    'reports what a credential can be used for',
    ELSEWHERE,
  ),
  'spec.secretRef.name': entryProvenBy(
    'acts',
    'tests/tenant-credentials.test.ts',
    'the lifecycle of a credential',
    ELSEWHERE,
  ),
  'spec.reclaimPolicy': entryProvenBy(
    'acts',
    'tests/credential-revocation.test.ts',
    'deletes and revokes a credential with reclaimPolicy Delete after its last cluster is deleted, and not before it has had one',
    'a whole Fairway in a process of its own reads it; with the default, Retain, the credential stays',
  ),
};
