import { acts, type FieldLedger } from './entry.ts';

export const KUBECONFIG_REQUEST_FIELDS: FieldLedger = {
  'spec.expirationSeconds': acts(
    'packages/gateway/src/behaviour/kubeconfig/kubeconfig.test.ts',
    'is valid for $lives s if $asked s are requested',
  ),
  'spec.certificateRequest': acts(
    'packages/gateway/src/behaviour/kubeconfig/kubeconfig.test.ts',
    'certifies the key of a CSR for the requesting user, whatever names the CSR contains',
  ),
};
