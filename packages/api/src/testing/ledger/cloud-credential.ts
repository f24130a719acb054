import { entryProvenBy, type FieldLedger } from './entry.ts';

const BLINDING_ALTERNATIVE =
  'a complete Fairway in a separate process reads it; without it, the test would have another project, or none';

export const CLOUD_CREDENTIAL_FIELDS: FieldLedger = {
  'spec.cloud': entryProvenBy(
    'acts',
    'tests/tenant-credentials.test.ts',
    'reports what a credential can be used for',
    BLINDING_ALTERNATIVE,
  ),
  'spec.secretRef.name': entryProvenBy(
    'acts',
    'tests/tenant-credentials.test.ts',
    'the lifecycle of a credential',
    BLINDING_ALTERNATIVE,
  ),
  'spec.reclaimPolicy': entryProvenBy(
    'acts',
    'tests/credential-revocation.test.ts',
    'revokes a credential with reclaimPolicy Delete once its last cluster is deleted, but not a credential that never had a cluster',
    'a complete Fairway in a separate process reads it; with the default, Retain, the credential stays',
  ),
};
