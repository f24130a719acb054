import type { Row } from './row.ts';

const requestedAt = '2026-11-23T20:00:00Z';
const WARNING =
  'spec.reset: everything in the cluster is deleted, its credentials are revoked, and a reset cannot be cancelled; snapshots of its database are kept';

export const CLUSTER_RESET_ROWS: readonly Row[] = [
  {
    name: 'a new cluster with nothing to reset',
    spec: { reset: { requestedAt, confirm: 'new' } },
    has: { 'spec.reset.nodes': 'Delete' },
  },
  {
    name: 'a reset',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt, confirm: 'demo', nodes: 'Reinstall' } },
    warnings: [WARNING],
  },
  {
    name: 'a reset that skips a minor version',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.38', reset: { requestedAt, confirm: 'demo' } },
    warnings: [WARNING],
  },
  {
    name: 'a reset to a lower version',
    isUpdate: true,
    metadata: { name: 'small' },
    spec: { version: '1.36', reset: { requestedAt, confirm: 'small' } },
    warnings: [WARNING],
  },
  {
    name: 'a lower version without a reset',
    isUpdate: true,
    metadata: { name: 'small' },
    spec: { version: '1.36' },
    refused: [
      'spec.version: Invalid value: "1.36": is older than 1.37.0, which the cluster runs: Kubernetes cannot be downgraded',
    ],
  },
  {
    name: 'a reset to a version at its end of life',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.34', reset: { requestedAt, confirm: 'demo' } },
    refused: [
      'spec.version: Invalid value: "1.34": has reached its end of life; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a reset of another cluster',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt, confirm: 'small' } },
    refused: [
      'spec.reset.confirm: Invalid value: "small": must be the name of the cluster, demo, to confirm that everything in it is deleted',
    ],
  },
  {
    name: 'a reset that nobody confirms',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt } },
    refused: ['spec.reset.confirm: Required value'],
  },
  {
    name: 'a reset at no time',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt: 'now', confirm: 'demo' } },
    refused: ['spec.reset.requestedAt: Invalid value: "now": must be a time in UTC such as 2026-11-21T16:30:00Z'],
  },
  {
    name: 'a reset in a mistyped year',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt: '9062-06-01T12:00:00Z', confirm: 'demo' } },
    refused: [
      'spec.reset.requestedAt: Invalid value: "9062-06-01T12:00:00Z": is more than a day in the future, and earlier requests would be ignored until then: set it to the current time',
    ],
  },
  {
    name: 'a reset that keeps the nodes',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { reset: { requestedAt, confirm: 'demo', nodes: 'Keep' } },
    refused: ['spec.reset.nodes: Unsupported value: "Keep": supported values: "Delete", "Reinstall"'],
  },
  {
    name: 'a reset along with a restore',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: {
      reset: { requestedAt, confirm: 'demo' },
      etcd: { restore: { snapshot: '20261121-163000-000', requestedAt } },
    },
    refused: [
      'spec.etcd.restore: Forbidden: snapshot 20261121-163000-000 has not been restored yet, which would undo the reset: wait for it, or remove the field',
    ],
  },
];
