import { z } from 'zod';

/** Limits of a Plan: paths within its spec. */
export const LIMIT_NAMES = [
  'kubernetes',
  'network.customCIDRs',
  'network.gatewayRequired',
  'network.ipFamilies',
  'cni.allowed',
  'kubeProxy.allowed',
  'maxNodes',
  'maxPodsPerNode',
  'maxClusters',
  'maxDrainTimeout',
  'allowed.flavors',
  'allowed.images',
  'allowed.regions',
  'allowed.networks',
  'allowed.upgradeStrategies',
  'allowed.healingStrategies',
  'allowed.kubeletSettings',
  'allowed.unsafeSysctls',
  'allowed.registryMirrors',
  'allowed.proxy',
  'allowed.antiAffinityPolicies',
  'allowed.features',
  'nodePools.allowInCluster',
  'nodePools.maxServerTags',
  'nodePools.maxServerMetadata',
  'nodePools.maxSecurityGroups',
  'nodePools.maxNetworks',
  'storage.accessModes',
  'storage.tenantClasses',
  'services.types',
  'services.ipFamilies',
  'services.refusedAnnotations',
  'services.loadBalancerProviders',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** Limits that Fairway's controllers always enforce: a note can explain them, but cannot turn them into warnings. */
export const UNCONDITIONAL_LIMITS: readonly LimitName[] = [
  'network.gatewayRequired',
  'network.ipFamilies',
  'maxNodes',
  'maxPodsPerNode',
  'maxClusters',
  'maxDrainTimeout',
  'nodePools.allowInCluster',
];

/** Features that a Plan can exclude; `limits/features.ts` defines what counts as using them. */
export const FEATURE_NAMES = [
  'Autoscaling',
  'ClusterAudit',
  'ExternalAutoscaler',
  'FloatingIPs',
  'Gateways',
  'Hibernation',
  'Ingresses',
  'KeystoneUsers',
  'OIDC',
  'Reset',
  'Shares',
  'VolumeSnapshots',
] as const;

export type FeatureName = (typeof FEATURE_NAMES)[number];

/** IP families that clusters can have. */
export const IP_FAMILIES = ['IPv4', 'IPv6', 'DualStack'] as const;

/** `spec.network.ipFamilies` of a Plan. */
export const clusterIPFamilies = z
  .array(z.enum(IP_FAMILIES))
  .min(1)
  .max(IP_FAMILIES.length)
  .describe('IP families that clusters can have. Default: all that Fairway supports. This release only builds IPv4.');

const day = () =>
  z
    .string()
    .max(10)
    .regex(/^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/, 'must be a date such as 2026-10-28');

const text = (what: string) => z.string().min(1).max(500).optional().describe(what);

const limitNote = z
  .object({
    limit: z.enum(LIMIT_NAMES).describe("Limit that the note explains: the path of the Plan's field."),
    value: z
      .string()
      .max(253)
      .default('')
      .describe('Value that the note explains, such as ReadWriteMany. Default: all values that the limit excludes.'),
    enforcement: z
      .enum(['Refuse', 'Warn'])
      .default('Refuse')
      .describe('Refuse: requests beyond the limit are refused. Warn: they are accepted with a warning.'),
    since: day()
      .optional()
      .describe('First day (UTC) on which the limit is enforced. Earlier requests are accepted with a warning.'),
    until: day().optional().describe('Day (UTC) from which the limit is no longer enforced.'),
    reason: text('Why the limit exists.'),
    alternative: text('What to use instead.'),
    link: z
      .string()
      .max(500)
      .regex(/^https:\/\/[^\s"<>\\^`{|}]+$/, 'must be an https URL')
      .optional()
      .describe('URL of a page that explains the limit.'),
  })
  // Replaced as a whole: half of one note says something else than the operator wrote.
  .meta({ 'x-kubernetes-map-type': 'atomic' })
  .describe('Explanation of a limit.');

/** Maximum number of notes of a Plan. */
export const MAX_LIMIT_NOTES = 100;

/** `spec.limitNotes` of a Plan. */
export const limitNotes = z
  .array(limitNote)
  .max(MAX_LIMIT_NOTES)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['limit', 'value'] })
  .describe('Explanations of the limits: errors, `fairway limits` and the limits page show them.');

export type LimitNote = z.infer<typeof limitNote>;

const minor = () =>
  z
    .string()
    .max(8)
    .regex(/^[0-9]{1,3}\.[0-9]{1,3}$/, 'must be a minor version such as 1.34')
    .optional();

/** `spec.kubernetes` of a Plan. */
export const planKubernetes = z
  .object({
    oldest: minor().describe('Oldest minor version that clusters can use. Default: no limit.'),
    newest: minor().describe('Newest minor version that clusters can use. Default: no limit.'),
  })
  .describe(
    'Kubernetes versions that clusters can use, of those that KubernetesReleases offer. Existing clusters keep their version and get its patches.',
  );
