import { z } from 'zod';
import { list } from './collections.ts';
import { Link } from './link.ts';

/** One API version of a service. `version` and `min_version` are microversions, empty if the service has none. */
export const ApiVersion = z.object({
  id: z.string(),
  /** `CURRENT`, `SUPPORTED`, `DEPRECATED`, `EXPERIMENTAL`; Keystone writes `stable`. */
  status: z.string(),
  /** Some services call the highest microversion `max_version`. */
  version: z.string().optional(),
  max_version: z.string().optional(),
  min_version: z.string().optional(),
  updated: z.string().optional(),
  links: list(Link).default([]),
});
export type ApiVersion = z.infer<typeof ApiVersion>;

/** `GET /` of Nova, Neutron and Glance; Keystone wraps the array in `values`. A versioned URL responds with `{version}`. */
export const VersionDocument = z.union([
  z.object({ versions: list(ApiVersion) }),
  z.object({ versions: z.object({ values: list(ApiVersion) }) }),
  z.object({ version: ApiVersion }),
]);
export type VersionDocument = z.infer<typeof VersionDocument>;
