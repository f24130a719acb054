import { DEFAULT_NAMESPACE_LIMITS } from '@fairway/api/domain/namespace-limits';
import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { hardOf, QUOTA_NAME, statusBefore } from './namespace-quota.ts';

const limits = { ...DEFAULT_NAMESPACE_LIMITS, maxSecretsPerNamespace: 7 };
const ALL = {
  'count/clusters.fairway.dev': '100',
  'count/nodepools.fairway.dev': '500',
  'count/cloudcredentials.fairway.dev': '100',
  'count/secrets': '7',
  'count/configmaps': '200',
};
const { 'count/secrets': _, ...WITHOUT_SECRETS } = ALL;
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
  { namespace: "a project's", annotations: PROJECT, hard: ALL },
  { namespace: 'with a cloud', annotations: { 'fairway.dev/cloud': 'simulator' }, hard: ALL },
  { namespace: 'with a Cluster or a CloudCredential', isInUse: true, hard: ALL },
  { namespace: 'of another use', annotations: { other: 'x' }, hard: undefined },
  { namespace: 'that was emptied', quotas: [quota({}, {}, QUOTA_NAME)], hard: ALL },
  { namespace: 'of Fairway itself', name: 'fairway-system', annotations: PROJECT, isInUse: true, hard: undefined },
  { namespace: 'of Kubernetes', name: 'kube-system', isInUse: true, hard: undefined },
  {
    namespace: 'for which an operator allows more',
    isInUse: true,
    quotas: [quota({ 'count/secrets': '5000' })],
    hard: WITHOUT_SECRETS,
  },
  {
    namespace: 'with the older name of a count',
    isInUse: true,
    quotas: [quota({ secrets: '1' })],
    hard: WITHOUT_SECRETS,
  },
  { namespace: 'with a quota of other things', isInUse: true, quotas: [quota({ 'requests.cpu': '1' })], hard: ALL },
  {
    namespace: 'with a quota that counts some objects alone',
    isInUse: true,
    quotas: [quota({ 'count/secrets': '5000' }, { scopes: ['BestEffort'] })],
    hard: ALL,
  },
  { namespace: 'where an operator counts all', isInUse: true, quotas: [quota({ ...ALL })], hard: undefined },
])('a namespace $namespace', ({ name = 'team', annotations = {}, isInUse = false, quotas = [], hard }) => {
  expect(hardOf(limits, { namespace: { metadata: { name, annotations }, spec: {} }, isInUse, quotas })).toEqual(hard);
});

test.each<{ what: string; status?: ResourceQuota['status']; written: ResourceQuota['status'] }>([
  {
    what: 'is new',
    written: { hard: { 'count/secrets': '7', pods: '1' }, used: { 'count/secrets': '0', pods: '0' } },
  },
  {
    what: 'counts one of them',
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
    what: 'counts all of them',
    status: { hard: {}, used: { 'count/secrets': '2', pods: '3' } },
    written: undefined,
  },
])('before it gets limits, a quota that $what has counts', ({ status, written }) => {
  expect(
    statusBefore({ 'count/secrets': '7', pods: '1' }, { metadata: {}, spec: {}, ...(status && { status }) }),
  ).toEqual(written);
});
