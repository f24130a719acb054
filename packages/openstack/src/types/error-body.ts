import { z } from 'zod';
import { list, record } from './collections.ts';

/** Keystone, and keystonemiddleware in front of the other services. */
export const KeystoneErrorBody = z.object({
  error: z.object({ code: z.number().optional(), message: z.string(), title: z.string().optional() }),
});
export type KeystoneErrorBody = z.infer<typeof KeystoneErrorBody>;

/** Neutron; its 401 comes from keystonemiddleware instead. `detail` is almost always empty. */
export const NeutronErrorBody = z.object({
  NeutronError: z.union([
    z.string(),
    z.object({ type: z.string(), message: z.string(), detail: z.unknown().optional() }),
  ]),
});
export type NeutronErrorBody = z.infer<typeof NeutronErrorBody>;

/** Nova's keys: fault names in camel case, by status. */
export const NOVA_FAULT_NAMES = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  500: 'computeFault',
  501: 'notImplemented',
  503: 'serviceUnavailable',
} as const satisfies Record<number, string>;

/** `{"badRequest": {"code": 400, "message": "…"}}`: one key, which is the fault's name. */
export const NovaErrorBody = record(
  z.object({
    code: z.number().optional(),
    message: z.string(),
    retryAfter: z.union([z.string(), z.number()]).optional(),
  }),
);
export type NovaErrorBody = z.infer<typeof NovaErrorBody>;

/** The format of the API working group, used by Placement, Octavia and microversion errors of Nova. */
export const ErrorsBody = z.object({
  errors: list(
    z.object({
      status: z.number().optional(),
      title: z.string().optional(),
      detail: z.string().optional(),
      code: z.string().optional(),
      request_id: z.string().optional(),
      max_version: z.string().optional(),
      min_version: z.string().optional(),
    }),
  ),
});
export type ErrorsBody = z.infer<typeof ErrorsBody>;
