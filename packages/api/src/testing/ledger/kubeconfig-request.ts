import { acts, type FieldLedger } from './entry.ts';

export const KUBECONFIG_REQUEST_FIELDS: FieldLedger = {
  'spec.expirationSeconds': acts(
    'packages/gateway/src/behaviour/kubeconfig/kubeconfig.test.ts',
    'that is asked for $asked s lives $lives s',
  ),
  'spec.certificateRequest': acts(
    'packages/gateway/src/behaviour/kubeconfig/kubeconfig.test.ts',
    'certifies the key of a request for the requesting user, whatever names it has',
  ),
};
