import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { timestamp } from '../schema/scalars.ts';
import { quota } from './cloud-profile.ts';
import { requestSchema } from './request-schema.ts';

const MAX_QUOTAS = 100;

const spec = z.object({}).describe('Empty: the request has no parameters.');

const status = z
  .object({
    time: timestamp().optional().describe('Time when the cloud returned these quotas, which is at most a minute ago.'),
    quotas: z
      .array(quota)
      .max(MAX_QUOTAS)
      .optional()
      .describe('Quotas of the project in the services that answered. Absent if none did.'),
  })
  .describe('Response to the request.');

export type QuotasStatus = z.infer<typeof status>;

/** Request and response body of a POST to `cloudprofiles/NAME/quotas`. It changes nothing. */
export interface QuotasRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: QuotasStatus;
}

export const QUOTAS_SUBRESOURCE = 'quotas';
export const QUOTAS_REQUEST_KIND = { group: GROUP, version: VERSION, kind: 'QuotasRequest' } as const;

/** The kind that decodes the subresource. */
export function quotasRequestSchema(): Schema {
  return requestSchema({ spec, status }, 'QuotasRequest returns the current quotas of the project of a CloudProfile.');
}
