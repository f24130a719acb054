import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLOUD_CONF_KEYS } from './keys.ts';

const DOCS = readFileSync(new URL('../../../../../docs/operators/cloud-provider.md', import.meta.url), 'utf8');

/**
 * The keys that upstream's openstack-cloud-controller-manager v1.36 reads for load balancers, networks and routes, by
 * section.
 */
const UPSTREAM_KEYS = {
  loadbalancer: [
    'enabled',
    'lb-version',
    'subnet-id',
    'member-subnet-id',
    'network-id',
    'floating-network-id',
    'floating-subnet-id',
    'floating-subnet',
    'floating-subnet-tags',
    'lb-method',
    'lb-provider',
    'create-monitor',
    'monitor-delay',
    'monitor-timeout',
    'monitor-max-retries',
    'monitor-max-retries-down',
    'manage-security-groups',
    'internal-lb',
    'node-selector',
    'cascade-delete',
    'flavor-id',
    'availability-zone',
    'enable-ingress-hostname',
    'ingress-hostname-suffix',
    'max-shared-lb',
    'container-store',
    'provider-requires-serial-api-calls',
    'default-tls-container-ref',
  ],
  loadbalancerclass: [
    'floating-network-id',
    'floating-subnet-id',
    'floating-subnet',
    'floating-subnet-tags',
    'network-id',
    'subnet-id',
    'member-subnet-id',
  ],
  networking: ['ipv6-support-disabled', 'public-network-name', 'internal-network-name', 'address-sort-order'],
  route: ['router-id'],
  metadata: ['search-order', 'request-timeout'],
};

describe.each(Object.entries(UPSTREAM_KEYS))('[%s]', (section, keys) => {
  it.each(keys)('supports %s', (key) => {
    expect(CLOUD_CONF_KEYS[section]?.[key]).toBeDefined();
  });
});

it.each(['loadbalancer', 'loadbalancerclass', 'route', 'metadata', 'blockstorage', 'keymanager'])(
  'documents the effect of each key of [%s]',
  (section) => {
    const [row = ''] = DOCS.split('\n').filter((line) => line.toLowerCase().startsWith(`| \`[${section}`));
    const missing = Object.keys(CLOUD_CONF_KEYS[section] ?? {}).filter((key) => !row.includes(`\`${key}`));

    expect(missing).toEqual([]);
  },
);
