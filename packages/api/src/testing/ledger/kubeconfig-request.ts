import { acts, type FieldLedger } from './entry.ts';

export const KUBECONFIG_REQUEST_FIELDS: FieldLedger = {
  'spec.expirationSeconds': acts(
    'packages/gateway/src/kubeconfig/kubeconfig.test.ts',
    'that is asked for $asked s lives $lives s',
  ),
};
