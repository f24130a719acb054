import { type FieldLedger, provenBy } from './entry.ts';

export const AUTOSCALER_CONFIG_REQUEST_FIELDS: FieldLedger = {
  'spec.expirationSeconds': provenBy(
    'acts',
    'packages/gateway/src/autoscaler-config/autoscaler-config-request.test.ts',
    'gets a certificate that lives as long as it asks for',
    'the certificate is issued for a request, which no cache holds',
  ),
};
