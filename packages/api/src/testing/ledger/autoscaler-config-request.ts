import { entryProvenBy, type FieldLedger } from './entry.ts';

export const AUTOSCALER_CONFIG_REQUEST_FIELDS: FieldLedger = {
  'spec.expirationSeconds': entryProvenBy(
    'acts',
    'packages/gateway/src/autoscaler-config/autoscaler-config-request.test.ts',
    'is valid for the requested time',
    'the certificate is issued for a request, and requests are never cached',
  ),
};
