import { DEFAULT_NAMESPACE_LIMITS } from '@fairway/api/domain/namespace-limits';
import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { hardLimits, initialStatus, QUOTA_NAME } from './namespace-quota.ts';

const limits = { ...DEFAULT_NAMESPACE_LIMITS, maxSecretsPerNamespace: 7 };
const ALL_LIMITS = {
  'count/clusters.fairway.dev': '100',
  'count/nodepools.fairway.dev': '500',
  'count/cloudcredentials.fairway.dev': '100',
  'count/secrets': '7',
  'count/configmaps': '200',
};
const { 'count/secrets': _, ...WITHOUT_SECRETS } = ALL_LIMITS;
const PROJECT = { 'fairway.dev/project-id': 'p' };

function quota(hard: Record<string, string>, spec: ResourceQuota['spec'] = {}, name = 'operators'): ResourceQuota {
  return { metadata: { name }, spec: { hard, ...spec } };
}

test.each<{
  namespace: string;
  name?: string;
  annotations?: Record<string, string>;
  isInUse?: boolean;
  quotas?: ResourceQuota[];
  hard: object | undefined;
}>([
  { namespace: 'of a project', annotations: PROJECT, hard: ALL_LIMITS },
  { namespace: 'with a cloud', annotations: { 'fairway.dev/cloud': 'simulator' }, hard: ALL_LIMITS },
  { namespace: 'with a Cluster or a CloudCredential', isInUse: true, hard: ALL_LIMITS },
  { namespace: 'with another purpose', annotations: { other: 'x' }, hard: undefined },
  { namespace: 'that was emptied', quotas: [quota({}, {}, QUOTA_NAME)], hard: ALL_LIMITS },
  { namespace: 'of Fairway itself', name: 'fairway-system', annotations: PROJECT, isInUse: true, hard: undefined },
  { namespace: 'of Kubernetes', name: 'kube-system', isInUse: true, hard: undefined },
  {
    namespace: 'for which an operator allows more',
    isInUse: true,
    quotas: [quota({ 'count/secrets': '5000' })],
    hard: WITHOUT_SECRETS,
  },
  {
    namespace: 'with a quota that uses the older name of a count',
    isInUse: true,
    quotas: [quota({ secrets: '1' })],
    hard: WITHOUT_SECRETS,
  },
  {
    namespace: 'with a quota of other resources',
    isInUse: true,
    quotas: [quota({ 'requests.cpu': '1' })],
    hard: ALL_LIMITS,
  },
  {
    namespace: 'with a quota that counts only some objects',
    isInUse: true,
    quotas: [quota({ 'count/secrets': '5000' }, { scopes: ['BestEffort'] })],
    hard: ALL_LIMITS,
  },
  {
    namespace: "where an operator's quota counts everything",
    isInUse: true,
    quotas: [quota({ ...ALL_LIMITS })],
    hard: undefined,
  },
])('a namespace $namespace', ({ name = 'team', annotations = {}, isInUse = false, quotas = [], hard }) => {
  expect(hardLimits(limits, { namespace: { metadata: { name, annotations }, spec: {} }, isInUse, quotas })).toEqual(
    hard,
  );
});

test.each<{ what: string; status?: ResourceQuota['status']; written: ResourceQuota['status'] }>([
  {
    what: 'is new',
    written: { hard: { 'count/secrets': '7', pods: '1' }, used: { 'count/secrets': '0', pods: '0' } },
  },
  {
    what: 'counts one of the resources',
    status: { hard: { pods: '9' }, used: { pods: '3' } },
    written: { hard: { 'count/secrets': '7', pods: '1' }, used: { 'count/secrets': '0', pods: '3' } },
  },
  {
    what: 'counts another resource',
    status: { hard: { services: '9' }, used: { services: '3' } },
    written: {
      hard: { 'count/secrets': '7', pods: '1', services: '9' },
      used: { 'count/secrets': '0', pods: '0', services: '3' },
    },
  },
  {
    what: 'counts all resources',
    status: { hard: {}, used: { 'count/secrets': '2', pods: '3' } },
    written: undefined,
  },
])('a quota that $what has a status before its limits are set', ({ status, written }) => {
  expect(
    initialStatus({ 'count/secrets': '7', pods: '1' }, { metadata: {}, spec: {}, ...(status && { status }) }),
  ).toEqual(written);
});
