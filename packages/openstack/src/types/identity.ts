import { z } from 'zod';
import { cloudTimeMs } from './cloud-time.ts';
import { list } from './collections.ts';

/** Keystone v3: tokens, catalog, projects, users, application credentials, trusts. */

export const Endpoint = z.object({
  id: z.string(),
  interface: z.enum(['public', 'internal', 'admin']),
  /** Absent if the cloud's endpoints belong to no region. */
  region: z.string().nullish(),
  region_id: z.string().nullish(),
  url: z.string(),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const CatalogEntry = z.object({
  id: z.string().optional(),
  type: z.string(),
  name: z.string().optional(),
  endpoints: list(Endpoint),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

const Domain = z.object({ id: z.string(), name: z.string() });
const RoleRef = z.object({ id: z.string(), name: z.string() });

export const Token = z.object({
  methods: list(z.string()),
  user: z.object({
    id: z.string(),
    name: z.string(),
    domain: Domain,
    password_expires_at: z.string().nullish(),
    /** For a federated user: the groups from the identity provider's mapping. */
    'OS-FEDERATION': z
      .object({
        groups: list(z.object({ id: z.string(), name: z.string().optional() })).default([]),
        identity_provider: z.object({ id: z.string() }).optional(),
      })
      .optional(),
  }),
  audit_ids: list(z.string()).default([]),
  issued_at: z.string(),
  expires_at: z.string(),
  /** Absent on an unscoped, domain-scoped or system-scoped token. */
  project: z.object({ id: z.string(), name: z.string(), domain: Domain }).optional(),
  domain: Domain.optional(),
  system: z.object({ all: z.boolean() }).optional(),
  is_domain: z.boolean().optional(),
  /** Only if the operator has defined an admin project. */
  is_admin_project: z.boolean().optional(),
  roles: list(RoleRef).default([]),
  catalog: list(CatalogEntry).default([]),
  application_credential: z
    .object({
      id: z.string(),
      name: z.string().optional(),
      restricted: z.boolean(),
      access_rules: list(z.unknown()).optional(),
    })
    .optional(),
  'OS-TRUST:trust': z
    .object({
      id: z.string(),
      impersonation: z.boolean(),
      trustor_user: z.object({ id: z.string() }),
      trustee_user: z.object({ id: z.string() }),
    })
    .optional(),
});
export type Token = z.infer<typeof Token>;

/** `POST` and `GET /v3/auth/tokens`; the token itself is in the X-Subject-Token header. */
export const TokenResponse = z.object({ token: Token });
export type TokenResponse = z.infer<typeof TokenResponse>;

/** Keystone omits the Z if a token expires with its application credential. NaN if it is not a time. */
export function keystoneTimeMs(text: string): number {
  return cloudTimeMs(text) ?? Number.NaN;
}

/** Revokes tokens that match all of its attributes and were issued earlier. `GET /v3/OS-REVOKE/events`. */
export const RevocationEvent = z.object({
  user_id: z.string().nullish(),
  /** The domain of the user or of the scope. */
  domain_id: z.string().nullish(),
  domain_scope_id: z.string().nullish(),
  project_id: z.string().nullish(),
  role_id: z.string().nullish(),
  /** Matches one token. */
  audit_id: z.string().nullish(),
  /** Matches all tokens derived from one token. */
  audit_chain_id: z.string().nullish(),
  'OS-TRUST:trust_id': z.string().nullish(),
  'OS-OAUTH1:consumer_id': z.string().nullish(),
  'OS-OAUTH1:access_token_id': z.string().nullish(),
  expires_at: z.string().nullish(),
  issued_before: z.string(),
});
export type RevocationEvent = z.infer<typeof RevocationEvent>;

/** Reference to a user, project or domain: by id, or by name together with its domain (except for domains). */
const DomainRef = z.object({ id: z.string().optional(), name: z.string().optional() });
const ScopedRef = z.object({ id: z.string().optional(), name: z.string().optional(), domain: DomainRef.optional() });

export const AuthRequest = z.object({
  auth: z.object({
    identity: z.object({
      methods: list(z.string()),
      password: z.object({ user: ScopedRef.extend({ password: z.string() }) }).optional(),
      totp: z.object({ user: ScopedRef.extend({ passcode: z.string() }) }).optional(),
      token: z.object({ id: z.string() }).optional(),
      application_credential: ScopedRef.pick({ id: true, name: true })
        .extend({ user: ScopedRef.optional(), secret: z.string() })
        .optional(),
    }),
    /** Absent for an application credential (it carries its project) and for the user's default project. */
    scope: z
      .union([
        z.literal('unscoped'),
        z.object({
          project: ScopedRef.optional(),
          domain: DomainRef.optional(),
          system: z.object({ all: z.boolean() }).optional(),
          'OS-TRUST:trust': z.object({ id: z.string() }).optional(),
        }),
      ])
      .optional(),
  }),
});
export type AuthRequest = z.infer<typeof AuthRequest>;

/**
 * Keystone's response with status 401 if a user's rules require more factors; the receipt itself is in the
 * Openstack-Auth-Receipt header.
 */
export const ReceiptResponse = z.object({
  receipt: z.object({ methods: list(z.string()) }),
  /** Sets of methods, one of which must be complete. */
  required_auth_methods: list(list(z.string())),
});
export type ReceiptResponse = z.infer<typeof ReceiptResponse>;

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  description: z.string().nullish(),
  enabled: z.boolean().default(true),
  is_domain: z.boolean().default(false),
  parent_id: z.string().nullish(),
  tags: list(z.string()).default([]),
});
export type Project = z.infer<typeof Project>;

export const User = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  enabled: z.boolean().default(true),
  default_project_id: z.string().nullish(),
  description: z.string().nullish(),
  email: z.string().nullish(),
  password_expires_at: z.string().nullish(),
});
export type User = z.infer<typeof User>;

export const AccessRule = z.object({
  id: z.string().optional(),
  path: z.string(),
  method: z.string(),
  service: z.string(),
});
export type AccessRule = z.infer<typeof AccessRule>;

export const ApplicationCredential = z.object({
  id: z.string(),
  name: z.string(),
  project_id: z.string(),
  description: z.string().nullish(),
  roles: list(z.object({ id: z.string(), name: z.string() })).default([]),
  /** Null if it never expires. UTC without an offset, as written by Keystone. */
  expires_at: z.string().nullish(),
  /** Null also means false. */
  unrestricted: z.boolean().nullish(),
  access_rules: list(AccessRule).optional(),
  /** Only in the response that creates it. */
  secret: z.string().optional(),
});
export type ApplicationCredential = z.infer<typeof ApplicationCredential>;

export const ApplicationCredentialCreate = z.object({
  name: z.string(),
  secret: z.string().optional(),
  description: z.string().optional(),
  expires_at: z.string().nullish(),
  roles: list(z.object({ id: z.string().optional(), name: z.string().optional() })).optional(),
  unrestricted: z.boolean().optional(),
  access_rules: list(AccessRule).optional(),
});
export type ApplicationCredentialCreate = z.infer<typeof ApplicationCredentialCreate>;

export const Trust = z.object({
  id: z.string(),
  trustor_user_id: z.string(),
  trustee_user_id: z.string(),
  project_id: z.string().nullish(),
  impersonation: z.boolean(),
  expires_at: z.string().nullish(),
  deleted_at: z.string().nullish(),
  remaining_uses: z.number().nullish(),
  redelegation_count: z.number().optional(),
  roles: list(z.object({ id: z.string(), name: z.string() })).default([]),
});
export type Trust = z.infer<typeof Trust>;

export const TrustCreate = z.object({
  trustor_user_id: z.string(),
  trustee_user_id: z.string(),
  project_id: z.string().optional(),
  impersonation: z.boolean(),
  expires_at: z.string().nullish(),
  remaining_uses: z.number().nullish(),
  allow_redelegation: z.boolean().optional(),
  roles: list(z.object({ id: z.string().optional(), name: z.string().optional() })).optional(),
});
export type TrustCreate = z.infer<typeof TrustCreate>;
