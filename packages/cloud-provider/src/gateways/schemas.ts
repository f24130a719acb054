import { z } from 'zod';

const GROUP = 'gateway.networking.k8s.io';
/** Limits from the upstream definitions; a cluster may have other limits. */
const LIMITS = { listeners: 64, addresses: 16, kinds: 8, parents: 32, hostnames: 16, rules: 64, items: 64, labels: 64 };

const HOSTNAME = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/;
const Hostname = z.string().max(253).regex(HOSTNAME, 'is not a lowercase hostname');
const Port = z.int().min(1).max(65_535);
const Name = z.string().max(253);

const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().exactOptional(),
});
/** A status is untrusted input: an invalid one is rewritten. */
const Conditions = z.array(Condition).catch([]).default([]);

const Selector = z.object({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(
      z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).max(LIMITS.labels).default([]) }),
    )
    .max(LIMITS.labels)
    .default([]),
});
export type Selector = z.infer<typeof Selector>;

const RouteKind = z.object({ group: z.string().default(GROUP), kind: Name });

const CertificateRef = z.object({
  group: z.string().default(''),
  kind: z.string().default('Secret'),
  namespace: Name.optional(),
  name: Name,
});
export type CertificateRef = z.infer<typeof CertificateRef>;

/** Loose, so unsupported fields are refused by name. */
const ListenerTls = z.looseObject({
  mode: z.string().default('Terminate'),
  certificateRefs: z.array(CertificateRef).max(LIMITS.items).default([]),
});

const Listener = z.object({
  name: Name,
  /** Empty matches every host. */
  hostname: z.union([z.literal(''), Hostname]).default(''),
  port: Port,
  protocol: Name,
  tls: ListenerTls.optional(),
  allowedRoutes: z
    .object({
      namespaces: z
        .object({ from: z.string().default('Same'), selector: Selector.optional() })
        .default({ from: 'Same' }),
      kinds: z.array(RouteKind).max(LIMITS.kinds).default([]),
    })
    .default({ namespaces: { from: 'Same' }, kinds: [] }),
});
export type Listener = z.infer<typeof Listener>;

export const GatewaySpec = z.object({
  listeners: z.array(Listener).min(1).max(LIMITS.listeners),
  addresses: z
    .array(z.object({ type: z.string().default('IPAddress'), value: z.string().default('') }))
    .max(LIMITS.addresses)
    .default([]),
  /** Loose, so unsupported fields are refused by name. */
  infrastructure: z
    .looseObject({
      annotations: z.record(z.string(), z.string()).default({}),
      labels: z.record(z.string(), z.string()).default({}),
      parametersRef: z.unknown().optional(),
    })
    .optional(),
  /** Validation of client certificates, and the client certificate for backends. */
  tls: z.object({ frontend: z.unknown().optional(), backend: z.unknown().optional() }).optional(),
});
export type GatewaySpec = z.infer<typeof GatewaySpec>;

const ListenerStatus = z.object({
  name: z.string(),
  supportedKinds: z.array(z.object({ group: z.string().optional(), kind: z.string() })).default([]),
  attachedRoutes: z.int().default(0),
  conditions: Conditions,
});
export type ListenerStatus = z.infer<typeof ListenerStatus>;

export const GatewayStatus = z.object({
  addresses: z.array(z.object({ type: z.string().optional(), value: z.string() })).optional(),
  conditions: Conditions,
  listeners: z.array(ListenerStatus).default([]),
});
export type GatewayStatus = z.infer<typeof GatewayStatus>;

const ParentRef = z.object({
  group: z.string().default(GROUP),
  kind: z.string().default('Gateway'),
  namespace: Name.optional(),
  name: Name,
  sectionName: Name.optional(),
  port: Port.optional(),
});
export type ParentRef = z.infer<typeof ParentRef>;
export const ParentRefs = z.array(ParentRef).max(LIMITS.parents);

const Header = z.object({ type: z.string().default('Exact'), name: z.string(), value: z.string() });

const Match = z.object({
  path: z.object({ type: z.string().default('PathPrefix'), value: z.string().default('/') }).default({
    type: 'PathPrefix',
    value: '/',
  }),
  headers: z.array(Header).max(LIMITS.items).default([]),
  queryParams: z.array(z.unknown()).max(LIMITS.items).default([]),
  method: z.string().optional(),
});
export type HttpMatch = z.infer<typeof Match>;

const Redirect = z.object({
  scheme: z.string().optional(),
  hostname: Hostname.optional(),
  port: Port.optional(),
  statusCode: z.int().default(302),
  path: z
    .object({ type: z.string(), replaceFullPath: z.string().optional(), replacePrefixMatch: z.string().optional() })
    .optional(),
});
export type RedirectFilter = z.infer<typeof Redirect>;

const Filter = z.object({ type: z.string(), requestRedirect: Redirect.optional() });

const BackendRef = z.object({
  group: z.string().default(''),
  kind: z.string().default('Service'),
  namespace: Name.optional(),
  name: Name,
  port: Port.optional(),
  weight: z.int().min(0).max(1_000_000).default(1),
  filters: z.array(z.unknown()).max(LIMITS.items).default([]),
});
export type BackendRef = z.infer<typeof BackendRef>;

/** Loose, so unsupported fields of a rule are refused by name. */
const Rule = z.looseObject({
  name: z.string().optional(),
  matches: z.array(Match).max(LIMITS.items).default([]),
  filters: z.array(Filter).max(LIMITS.items).default([]),
  backendRefs: z.array(BackendRef).max(LIMITS.items).default([]),
});
export type HttpRule = z.infer<typeof Rule>;

export const HttpRouteSpec = z.object({
  hostnames: z.array(Hostname).max(LIMITS.hostnames).default([]),
  rules: z
    .array(Rule)
    .max(LIMITS.rules)
    .default([{ matches: [], filters: [], backendRefs: [] }]),
});
export type HttpRouteSpec = z.infer<typeof HttpRouteSpec>;

const RouteParentStatus = z.looseObject({ parentRef: ParentRef, controllerName: z.string(), conditions: Conditions });
export type RouteParentStatus = z.infer<typeof RouteParentStatus>;
export const RouteParents = z.array(RouteParentStatus);

export const GrantSpec = z.object({
  from: z.array(z.object({ group: z.string(), kind: z.string(), namespace: z.string() })).max(LIMITS.items),
  to: z.array(z.object({ group: z.string(), kind: z.string(), name: z.string().optional() })).max(LIMITS.items),
});
