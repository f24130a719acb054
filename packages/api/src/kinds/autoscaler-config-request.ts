import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

const spec = z
  .object({
    expirationSeconds: int32()
      .min(HOUR_SECONDS)
      .max(90 * DAY_SECONDS)
      .default(30 * DAY_SECONDS)
      .describe(
        'Validity of the certificate in seconds. To revoke the certificate earlier, set spec.autoscaler.certificatesNotBefore of the cluster to a later time.',
      ),
  })
  .describe('Desired properties of the credential.');

const status = z
  .object({
    address: z.string().describe('Address of the externalgrpc server, as HOST:PORT.'),
    certificate: z.string().describe('Client certificate of the autoscaler, in PEM.'),
    privateKey: z.string().describe('Private key of the certificate, in PEM.'),
    certificateAuthority: z.string().describe("CA of the server's certificate, in PEM."),
    expirationTimestamp: timestamp().describe('Time when the certificate expires.'),
  })
  .describe('Response to the request.');

/** Request and response body of a POST to `clusters/NAME/autoscalerconfig`. */
export interface AutoscalerConfigRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const AUTOSCALER_CONFIG_SUBRESOURCE = 'autoscalerconfig';
export const AUTOSCALER_CONFIG_REQUEST_KIND = {
  group: GROUP,
  version: VERSION,
  kind: 'AutoscalerConfigRequest',
} as const;

/** The kind that decodes the subresource. */
export function autoscalerConfigRequestSchema(): Schema {
  return requestSchema(
    { spec, status },
    "AutoscalerConfigRequest requests the credentials of a cluster's own autoscaler.",
  );
}
