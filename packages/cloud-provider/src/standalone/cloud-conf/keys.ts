/** How a key in cloud.conf is treated. */
export type Treatment =
  | { readonly kind: 'used' }
  /** Only the exempt values, if any, are accepted; `cause` follows "is refused:". */
  | { readonly kind: 'refused'; readonly exemptValues: readonly string[]; readonly cause: string }
  /** The key has no effect, and is reported unless it has an exempt value; `cause` follows "has no effect:". */
  | { readonly kind: 'ignored'; readonly exemptValues: readonly string[]; readonly cause: string };

const used: Treatment = { kind: 'used' };
const refused = (cause: string, ...exemptValues: readonly string[]): Treatment => ({
  kind: 'refused',
  exemptValues,
  cause,
});
const ignored = (cause: string, ...exemptValues: readonly string[]): Treatment => ({
  kind: 'ignored',
  exemptValues,
  cause,
});
const NODE_PLUGIN_REASON = 'it is for the node plugin';

const CLASS_KEYS: Readonly<Record<string, Treatment>> = {
  'floating-network-id': used,
  'floating-subnet-id': used,
  'floating-subnet': used,
  'floating-subnet-tags': used,
  'network-id': used,
  'subnet-id': used,
  'member-subnet-id': used,
};

/** Every key that cloud-provider-openstack v1.36 reads, by section, with names in lower case. */
export const CLOUD_CONF_KEYS: Readonly<Record<string, Readonly<Record<string, Treatment>>>> = {
  global: {
    'auth-url': used,
    'user-id': used,
    username: used,
    password: used,
    'tenant-id': used,
    'tenant-name': used,
    'trust-id': used,
    'trustee-id': used,
    'trustee-password': used,
    'domain-id': used,
    'domain-name': used,
    'tenant-domain-id': used,
    'tenant-domain-name': used,
    'user-domain-id': used,
    'user-domain-name': used,
    region: used,
    'os-endpoint-type': used,
    'ca-file': used,
    'cert-file': used,
    'key-file': used,
    'tls-insecure': used,
    token: used,
    'use-clouds': used,
    'clouds-file': used,
    cloud: used,
    'application-credential-id': used,
    'application-credential-name': used,
    'application-credential-secret': used,
  },
  networking: {
    'ipv6-support-disabled': used,
    'public-network-name': used,
    'internal-network-name': used,
    'address-sort-order': used,
  },
  loadbalancer: {
    enabled: used,
    'lb-version': refused('only Octavia is supported', 'v2'),
    'use-octavia': refused('only Octavia is supported', 'true'),
    'subnet-id': used,
    'member-subnet-id': used,
    'network-id': used,
    'floating-network-id': used,
    'floating-subnet-id': used,
    'floating-subnet': used,
    'floating-subnet-tags': used,
    'lb-method': used,
    'lb-provider': used,
    'create-monitor': used,
    'monitor-delay': used,
    'monitor-timeout': used,
    'monitor-max-retries': used,
    'monitor-max-retries-down': used,
    'manage-security-groups': refused('allow node ports in the security groups of the nodes', 'false'),
    'internal-lb': used,
    'node-selector': used,
    'cascade-delete': ignored('load balancers are always deleted with all their parts', 'true'),
    'flavor-id': used,
    'availability-zone': used,
    'enable-ingress-hostname': used,
    'ingress-hostname-suffix': used,
    'max-shared-lb': used,
    'container-store': used,
    'provider-requires-serial-api-calls': used,
    'default-tls-container-ref': used,
  },
  loadbalancerclass: CLASS_KEYS,
  route: { 'router-id': used },
  metadata: {
    'search-order': ignored('the metadata service is not used'),
    'request-timeout': used,
  },
  blockstorage: {
    'node-volume-attach-limit': ignored(NODE_PLUGIN_REASON),
    'rescan-on-resize': ignored(NODE_PLUGIN_REASON),
    'ignore-volume-az': refused(
      'volumes are created in the zone of the node, or in the availability parameter of the StorageClass',
      'false',
    ),
    'ignore-volume-microversion': refused('Cinder must support microversions', 'false'),
  },
  keymanager: { 'key-id': ignored('it is for the KMS plugin') },
};
