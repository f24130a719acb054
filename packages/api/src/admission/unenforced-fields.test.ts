import { expect, test } from 'vitest';
import type { NewCluster } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { unenforcedErrors } from './unenforced-fields.ts';

const why = 'simulated control planes do not do it: leave it out';
const oidc = { issuerURL: 'https://login.example.org', clientID: 'kubernetes' };
const unenforcedFields = {
  'spec.apiServer.allowedCIDRs': why,
  'spec.apiServer.oidc': why,
  'spec.etcd.snapshotRequestedAt': why,
  'spec.etcd.restore': why,
};

const fieldsOf = (spec: NewCluster['spec'], before?: NewCluster['spec'], unenforced: object = unenforcedFields) =>
  unenforcedErrors({
    cluster: aCluster(spec),
    old: before && aCluster(before),
    unenforcedFields: unenforced,
  }).map(({ type, field, detail }) => `${type} ${field}: ${detail}`);

test.each<{ field: string; spec: NewCluster['spec']; changed: NewCluster['spec'] }>([
  {
    field: 'spec.apiServer.allowedCIDRs',
    spec: { apiServer: { allowedCIDRs: ['198.51.100.0/24'] } },
    changed: { apiServer: { allowedCIDRs: ['198.51.100.0/25'] } },
  },
  {
    field: 'spec.apiServer.oidc',
    spec: { apiServer: { oidc } },
    changed: { apiServer: { oidc: { ...oidc, clientID: 'other' } } },
  },
  {
    field: 'spec.etcd.snapshotRequestedAt',
    spec: { etcd: { snapshotRequestedAt: '2026-01-01T00:00:00Z' } },
    changed: { etcd: { snapshotRequestedAt: '2026-01-02T00:00:00Z' } },
  },
  {
    field: 'spec.etcd.restore',
    spec: { etcd: { restore: { snapshot: '20260101-000000-000' } } },
    changed: { etcd: { restore: { snapshot: '20260102-000000-000' } } },
  },
])('refuses a new or changed $field unless it is supported, but accepts a stored one', (row) => {
  const refused = [`FieldValueForbidden ${row.field}: ${why}`];

  expect(fieldsOf(row.spec)).toEqual(refused);
  expect(fieldsOf(row.spec, {})).toEqual(refused);
  expect(fieldsOf(row.changed, row.spec)).toEqual(refused);
  expect(fieldsOf(row.spec, row.spec)).toEqual([]);
  expect(fieldsOf({}, row.spec)).toEqual([]);
  expect(fieldsOf(row.spec, undefined, {})).toEqual([]);
});

test('accepts an empty list, which restricts nothing', () => {
  expect(fieldsOf({ apiServer: { allowedCIDRs: [] } })).toEqual([]);
});
