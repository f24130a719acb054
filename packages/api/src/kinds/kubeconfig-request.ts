import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

export const MIN_KUBECONFIG_SECONDS = 600;
export const MAX_KUBECONFIG_SECONDS = 86_400;
export const DEFAULT_KUBECONFIG_SECONDS = 3600;

const spec = z
  .object({
    expirationSeconds: int32()
      .min(MIN_KUBECONFIG_SECONDS)
      .max(MAX_KUBECONFIG_SECONDS)
      .default(DEFAULT_KUBECONFIG_SECONDS)
      .describe('How long the credential is valid. It cannot be revoked before.'),
    certificateRequest: z
      .string()
      .min(1)
      .max(65_536)
      .optional()
      .describe(
        'PEM of a certificate request (PKCS #10), for a key that stays with who asks: the kubeconfig has no key then. Of the request only the key counts; the certificate is for the user who asks. Empty: a key is made.',
      ),
  })
  .describe('What is asked for.');

const status = z
  .object({
    kubeconfig: z
      .string()
      .describe(
        'The kubeconfig, as YAML, with the credential in it; its key alone is missing where a certificateRequest was given.',
      ),
    certificate: z.string().optional().describe('PEM of the certificate, where a certificateRequest was given.'),
    expirationTimestamp: timestamp().describe('When the credential ends.'),
  })
  .describe('The answer.');

/** Request and response body of a POST to `clusters/NAME/kubeconfig`. */
export interface KubeconfigRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const KUBECONFIG_SUBRESOURCE = 'kubeconfig' as const;
export const KUBECONFIG_REQUEST_KIND = { group: GROUP, version: VERSION, kind: 'KubeconfigRequest' } as const;

/** The kind that decodes the subresource. */
export function kubeconfigRequestSchema(): Schema {
  return requestSchema({ spec, status }, 'KubeconfigRequest asks for a short-lived kubeconfig.');
}
