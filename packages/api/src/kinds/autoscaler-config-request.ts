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
      .describe("How long the certificate is valid. The cluster's spec.autoscaler.certificatesNotBefore revokes it."),
  })
  .describe('What is asked for.');

const status = z
  .object({
    address: z.string().describe('HOST:PORT of the externalgrpc server.'),
    certificate: z.string().describe('Client certificate of the autoscaler, in PEM.'),
    privateKey: z.string().describe('Its private key, in PEM.'),
    certificateAuthority: z.string().describe("Authority of the server's certificate, in PEM."),
    expirationTimestamp: timestamp().describe('When the certificate ends.'),
  })
  .describe('The answer.');

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
    "AutoscalerConfigRequest asks for what a cluster's own autoscaler is let in with.",
  );
}
