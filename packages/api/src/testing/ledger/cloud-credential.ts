import { type FieldLedger, unproven } from './entry.ts';

export const CLOUD_CREDENTIAL_FIELDS: FieldLedger = {
  'spec.cloud': unproven('acts'),
  'spec.secretRef.name': unproven('acts'),
  'spec.reclaimPolicy': unproven('acts'),
};
