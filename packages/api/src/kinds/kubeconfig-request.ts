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
      .describe(
        'Validity of the credential in seconds. The credential cannot be revoked individually before it expires.',
      ),
    certificateRequest: z
      .string()
      .min(1)
      .max(65_536)
      .optional()
      .describe(
        'Certificate request (PKCS #10) in PEM, for a private key that stays with the requester: the kubeconfig then contains no private key. Only the public key of the request is used; the certificate is issued for the requesting user. Default: a new key is generated.',
      ),
  })
  .describe('Desired properties of the kubeconfig.');

const status = z
  .object({
    kubeconfig: z
      .string()
      .describe('Kubeconfig with the credential, in YAML. Without the private key if a certificateRequest was given.'),
    certificate: z.string().optional().describe('Certificate in PEM, if a certificateRequest was given.'),
    expirationTimestamp: timestamp().describe('Time when the credential expires.'),
  })
  .describe('Response to the request.');

/** Request and response body of a POST to `clusters/NAME/kubeconfig`. */
export interface KubeconfigRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const KUBECONFIG_SUBRESOURCE = 'kubeconfig' as const;
export const KUBECONFIG_REQUEST_KIND = { group: GROUP, version: VERSION, kind: 'KubeconfigRequest' } as const;

/** The kind that decodes the subresource. */
export function kubeconfigRequestSchema(): Schema {
  return requestSchema({ spec, status }, 'KubeconfigRequest requests a short-lived kubeconfig.');
}
