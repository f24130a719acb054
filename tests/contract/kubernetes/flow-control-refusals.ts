import type { Refusal } from './refusal.ts';

type Body = Readonly<Record<string, unknown>>;

const API = 'flowcontrol.apiserver.k8s.io/v1';
const USER = { kind: 'User', user: { name: 'alice' } };
const RESOURCES = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] };
const PATHS = { verbs: ['get'], nonResourceURLs: ['/version'] };
const QUEUING = { queues: 16, handSize: 4, queueLengthLimit: 10 };

function schema(what: string, spec: Body, name = 'wrong'): Refusal {
  const rules = [{ subjects: [USER], nonResourceRules: [PATHS] }];
  const base = { priorityLevelConfiguration: { name: 'a' }, rules };
  const manifest = { apiVersion: API, kind: 'FlowSchema', metadata: { name }, spec: { ...base, ...spec } };
  return { what: `a FlowSchema with ${what}`, manifest };
}

function rule(what: string, fields: Body): Refusal {
  return schema(what, { rules: [{ subjects: [USER], ...fields }] });
}

function subject(what: string, ...subjects: Body[]): Refusal {
  return schema(what, { rules: [{ subjects, nonResourceRules: [PATHS] }] });
}

function level(what: string, spec: Body, name = 'wrong', annotations?: Body): Refusal {
  const metadata = { name, ...(annotations && { annotations }) };
  const manifest = { apiVersion: API, kind: 'PriorityLevelConfiguration', metadata, spec };
  return { what: `a priority level with ${what}`, manifest };
}

function limited(what: string, fields: Body): Refusal {
  return level(what, { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...fields } });
}

function queuing(what: string, fields: Body): Refusal {
  return limited(what, { limitResponse: { type: 'Queue', queuing: { ...QUEUING, ...fields } } });
}

/** Refused objects with kube-apiserver's messages. */
export const FLOW_CONTROL_REFUSALS: readonly Refusal[] = [
  schema('a negative precedence', { matchingPrecedence: -1 }),
  schema('too high a precedence', { matchingPrecedence: 10_001 }),
  schema('the precedence of another', { matchingPrecedence: 1 }),
  schema('an unknown distinguisher', { distinguisherMethod: { type: 'ByMood' } }),
  schema('no level', { priorityLevelConfiguration: { name: '' } }),
  schema('a bad name of a level', { priorityLevelConfiguration: { name: 'A b' } }),
  schema('a spec other than the mandatory one', {}, 'catch-all'),
  rule('no rules', {}),
  rule('rules of nothing', { resourceRules: [{}], nonResourceRules: [{}] }),
  schema('a rule without subjects', { rules: [{}] }),
  schema('no reference', { priorityLevelConfiguration: undefined }),
  subject('a user that is not there', { kind: 'User' }),
  rule('no verbs', { resourceRules: [{ ...RESOURCES, verbs: [] }] }),
  rule('unknown verbs', { resourceRules: [{ ...RESOURCES, verbs: ['get', 'fly'] }] }),
  rule('all verbs and one', { resourceRules: [{ ...RESOURCES, verbs: ['*', 'get'] }] }),
  rule('no groups', { resourceRules: [{ ...RESOURCES, apiGroups: [] }] }),
  rule('all groups and one', { resourceRules: [{ ...RESOURCES, apiGroups: ['*', 'apps'] }] }),
  rule('no resources', { resourceRules: [{ ...RESOURCES, resources: [] }] }),
  rule('all resources and one', { resourceRules: [{ ...RESOURCES, resources: ['*', 'pods'] }] }),
  rule('no namespaces', { resourceRules: [{ ...RESOURCES, namespaces: [] }] }),
  rule('all namespaces and one', { resourceRules: [{ ...RESOURCES, namespaces: ['*', 'a'] }] }),
  rule('a bad namespace', { resourceRules: [{ ...RESOURCES, namespaces: ['a', 'B c'] }] }),
  rule('unknown verbs of paths', { nonResourceRules: [{ ...PATHS, verbs: ['fly'] }] }),
  rule('no paths', { nonResourceRules: [{ ...PATHS, nonResourceURLs: [] }] }),
  rule('all paths and one', { nonResourceRules: [{ ...PATHS, nonResourceURLs: ['*', '/version'] }] }),
  rule('paths that are none', {
    nonResourceRules: [{ ...PATHS, nonResourceURLs: ['', 'version', '/a b', '/a//b', '/a*', '/*/b', '/ok/*'] }],
  }),
  subject('no subjects'),
  subject('an unknown kind of subject', { kind: 'Robot' }),
  subject('a user without name', { kind: 'User', user: { name: '' } }),
  subject('a user that is a group', { kind: 'User', group: { name: 'a' } }),
  subject('a group subject with a user and an account', {
    kind: 'Group',
    user: { name: 'a' },
    serviceAccount: { name: 'a', namespace: 'b' },
  }),
  subject('an account without a name and namespace', {
    kind: 'ServiceAccount',
    serviceAccount: { name: '', namespace: '' },
  }),
  subject('an account with bad names', { kind: 'ServiceAccount', serviceAccount: { name: 'A b', namespace: 'c.d' } }),
  level('no type', {}),
  level('an unknown type', { type: 'Sometimes' }),
  level('the type of another', { type: 'Exempt' }),
  level('limits of an exempt one', { type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } }, 'exempt'),
  level('no limits', { type: 'Limited' }),
  level('two kinds of limits', { type: 'Limited', exempt: {}, limited: { limitResponse: { type: 'Reject' } } }),
  level(
    'a spec other than the mandatory one',
    { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    'catch-all',
  ),
  limited('negative shares', { nominalConcurrencyShares: -1 }),
  limited('more to lend than it has', { lendablePercent: 101 }),
  limited('a negative bound of borrowing', { borrowingLimitPercent: -1 }),
  level('limits of nothing', { type: 'Limited', limited: {} }),
  limited('no response', { limitResponse: { type: '' } }),
  limited('an unknown response', { limitResponse: { type: 'Shrug' } }),
  limited('queues that nobody waits in', { limitResponse: { type: 'Reject', queuing: QUEUING } }),
  limited('no queues to wait in', { limitResponse: { type: 'Queue' } }),
  queuing('negative numbers of queues', { queues: -1, handSize: -1, queueLengthLimit: -1 }),
  queuing('too many queues', { queues: 10_000_001, handSize: 1 }),
  queuing('a hand that is too large', { queues: 4, handSize: 5 }),
  queuing('a hand size too large for the hash', { queues: 1024, handSize: 7 }),
  level(
    'negative shares of an exempt level',
    { type: 'Exempt', exempt: { nominalConcurrencyShares: -1, lendablePercent: 101 } },
    'exempt',
  ),
];
