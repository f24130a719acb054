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
  .transform((given) => ({
    floatingNetworkID: given.floating_network_id,
    floatingSubnetID: given.floating_subnet_id,
    floatingSubnet: given.floating_subnet,
    floatingSubnetTags: given.floating_subnet_tags,
    networkID: given.network_id,
    subnetID: given.subnet_id,
    memberSubnetID: given.member_subnet_id,
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
  .transform((given) => ({
    /** Undefined to choose it for each port. */
    isEnabled: given.enabled,
    /** Seconds, like the timeout. */
    delay: given.delay,
    timeout: given.timeout,
    /** Successes until a member is considered up. */
    maxRetries: given.max_retries,
    /** Failures until a member is considered down. */
    maxRetriesDown: given.max_retries_down,
  }));

/**
 * The entry's `load_balancers` in clouds.yaml: defaults for load balancers of a cloud, unless a cluster overrides them.
 * The counterpart of `[LoadBalancer]` and `[LoadBalancerClass]` in cloud-provider-openstack; monitors have the same
 * defaults.
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
  .transform((given) => ({
    /** For new load balancers; undefined for Octavia's default. */
    provider: given.provider,
    /** For new load balancers. */
    flavorID: given.flavor_id,
    /** For new load balancers. */
    availabilityZone: given.availability_zone,
    /** Whether listeners are created after their load balancer: not all providers can create everything in one call. */
    isSerial: given.serial_calls,
    /**
     * Where floating IPs come from if the cluster has its own external network; the id takes precedence over name and
     * tags.
     */
    floatingSubnetID: given.floating_subnet_id,
    floatingSubnet: given.floating_subnet,
    floatingSubnetTags: given.floating_subnet_tags,
    /** Labels of the nodes that become members, in the syntax of the annotation. */
    nodeSelector: given.node_selector,
    /**
     * With PROXY, a Service gets the host name ADDRESS.SUFFIX, so traffic from the cluster itself also passes through
     * the load balancer.
     */
    hostnameSuffix: given.ingress_hostname_suffix,
    algorithm: given.lb_method,
    isInternal: given.internal,
    tlsContainerRef: given.default_tls_container_ref,
    /** The target of TLS references; Octavia validates those to `external`. */
    containerStore: given.container_store,
    monitor: given.monitor,
    /** Maximum number of Services per load balancer. */
    maxShared: given.max_shared,
    /** Whether Services may use load balancers of the project that belong to no cluster. */
    sharesOthers: given.share_others,
    /** By the names used by Services. */
    classes: new Map(Object.entries(given.classes)),
  }));
export type CloudLoadBalancers = Readonly<z.infer<typeof CloudLoadBalancers>>;

export const DEFAULT_LOAD_BALANCERS: CloudLoadBalancers = CloudLoadBalancers.parse({});
