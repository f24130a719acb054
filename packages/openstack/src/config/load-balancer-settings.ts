import { z } from 'zod';

const MAX_CLASSES = 64;
/** Octavia's limit for names and references. */
const text = z.string().min(1).max(255);
const uuid = z.string().regex(/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, {
  error: ({ input }) => `${JSON.stringify(input)} is not an ID: it must be a UUID`,
});
const seconds = z.int().min(1).max(3_600);
const retries = z.int().min(1).max(10);

const balancerClass = z
  .strictObject({
    floating_network_id: uuid.optional(),
    floating_subnet_id: uuid.optional(),
    floating_subnet: text.optional(),
    floating_subnet_tags: text.optional(),
    network_id: uuid.optional(),
    subnet_id: uuid.optional(),
    member_subnet_id: uuid.optional(),
  })
  .transform((settings) => ({
    floatingNetworkID: settings.floating_network_id,
    floatingSubnetID: settings.floating_subnet_id,
    floatingSubnet: settings.floating_subnet,
    floatingSubnetTags: settings.floating_subnet_tags,
    networkID: settings.network_id,
    subnetID: settings.subnet_id,
    memberSubnetID: settings.member_subnet_id,
  }));

/** Services refer to these as their class. */
export type CloudBalancerClass = Readonly<z.infer<typeof balancerClass>>;

const monitor = z
  .strictObject({
    enabled: z.boolean().optional(),
    delay: seconds.default(5),
    timeout: seconds.default(3),
    max_retries: retries.default(1),
    max_retries_down: retries.default(3),
  })
  .refine(({ delay, timeout }) => timeout <= delay, {
    path: ['timeout'],
    error: 'must not exceed the delay: Octavia rejects this',
  })
  .transform((settings) => ({
    /** If undefined, it is chosen for each port. */
    isEnabled: settings.enabled,
    /** In seconds, like the timeout. */
    delay: settings.delay,
    timeout: settings.timeout,
    /** Number of successes after which a member is considered up. */
    maxRetries: settings.max_retries,
    /** Number of failures after which a member is considered down. */
    maxRetriesDown: settings.max_retries_down,
  }));

/**
 * The entry's `load_balancers` in clouds.yaml: defaults for the load balancers in a cloud, unless a cluster overrides
 * them. The counterpart of `[LoadBalancer]` and `[LoadBalancerClass]` in cloud-provider-openstack; monitors have the
 * same defaults.
 */
export const CloudLoadBalancers = z
  .strictObject({
    provider: text.optional(),
    flavor_id: uuid.optional(),
    availability_zone: text.optional(),
    serial_calls: z.boolean().default(false),
    floating_subnet_id: uuid.optional(),
    floating_subnet: text.optional(),
    floating_subnet_tags: text.optional(),
    node_selector: text.optional(),
    ingress_hostname_suffix: text.optional(),
    lb_method: z.enum(['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP']).optional(),
    internal: z.boolean().default(false),
    default_tls_container_ref: text.optional(),
    container_store: z.enum(['barbican', 'external']).default('barbican'),
    monitor: monitor.prefault({}),
    max_shared: z.int().min(1).max(64).default(2),
    share_others: z.boolean().default(false),
    classes: z
      .record(text, balancerClass)
      .refine((classes) => Object.keys(classes).length <= MAX_CLASSES, {
        error: `may have at most ${MAX_CLASSES} classes`,
      })
      .default({}),
  })
  .transform((settings) => ({
    /** For new load balancers; undefined for Octavia's default. */
    provider: settings.provider,
    /** For new load balancers. */
    flavorID: settings.flavor_id,
    /** For new load balancers. */
    availabilityZone: settings.availability_zone,
    /** Whether listeners are created after their load balancer: not all providers can create everything in one call. */
    isSerial: settings.serial_calls,
    /**
     * Where floating IPs come from if the cluster has its own external network; the id takes precedence over name and
     * tags.
     */
    floatingSubnetID: settings.floating_subnet_id,
    floatingSubnet: settings.floating_subnet,
    floatingSubnetTags: settings.floating_subnet_tags,
    /** Labels of the nodes that become members, in the syntax of the annotation. */
    nodeSelector: settings.node_selector,
    /**
     * With PROXY, a Service gets the host name ADDRESS.SUFFIX, so traffic from the cluster itself also passes through
     * the load balancer.
     */
    hostnameSuffix: settings.ingress_hostname_suffix,
    algorithm: settings.lb_method,
    isInternal: settings.internal,
    tlsContainerRef: settings.default_tls_container_ref,
    /** The store that TLS references point to; Octavia validates references to `external`. */
    containerStore: settings.container_store,
    monitor: settings.monitor,
    /** Maximum number of Services per load balancer. */
    maxShared: settings.max_shared,
    /** Whether Services may use load balancers in the project that do not belong to any cluster. */
    sharesOthers: settings.share_others,
    /** By the names that Services use. */
    classes: new Map(Object.entries(settings.classes)),
  }));
export type CloudLoadBalancers = Readonly<z.infer<typeof CloudLoadBalancers>>;

export const DEFAULT_LOAD_BALANCERS: CloudLoadBalancers = CloudLoadBalancers.parse({});
