import { expect, test } from 'vitest';
import { AuditPolicyError, parsePolicyFile } from './policy-file.ts';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

test('parses a policy written for kube-apiserver', () => {
  const policy = parsePolicyFile(`${HEAD}omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:kube-proxy"]
  verbs: ["watch"]
  resources:
  - group: ""
    resources: ["endpoints", "services/status"]
    resourceNames: ["a"]
- level: None
  nonResourceURLs: ["/healthz*", "*"]
- level: RequestResponse
  userGroups: ["ops"]
  namespaces: ["red"]
  omitManagedFields: true
  omitStages: [ResponseStarted]
- level: Metadata
`);

  expect(policy.rules.map(({ level }) => level)).toEqual(['None', 'None', 'RequestResponse', 'Metadata']);
  expect(policy).toMatchObject({ omitStages: ['RequestReceived'], omitManagedFields: false });
});

const invalidPolicies: readonly (readonly [what: string, yaml: string, says: RegExp])[] = [
  ['nothing', '', /not valid YAML/],
  ['an empty object', '{}', /audit\.k8s\.io\/v1[\s\S]*apiVersion/],
  ['invalid YAML', '{', /not valid YAML/],
  ['another kind', 'apiVersion: v1\nkind: ConfigMap\nrules: [{level: None}]', /"audit.k8s.io\/v1"[\s\S]*"Policy"/],
  ['an empty list of rules', `${HEAD}rules: []`, /add a rule/],
  ['a rule without a level', `${HEAD}rules: [{users: [a]}]`, /rules\[0\]\.level/],
  ['an unknown level', `${HEAD}rules: [{level: Everything}]`, /"None"\|"Metadata"[\s\S]*rules\[0\]\.level/],
  ['an unknown stage', `${HEAD}omitStages: [Done]\nrules: [{level: None}]`, /"RequestReceived"[\s\S]*omitStages\[0\]/],
  ['an unknown field', `${HEAD}rules: [{level: None, user: [a]}]`, /"user"[\s\S]*rules\[0\]/],
  [
    'an API group with a version',
    `${HEAD}rules: [{level: None, resources: [{group: apps/v1}]}]`,
    /without its version/,
  ],
  [
    'resource names without resources',
    `${HEAD}rules: [{level: None, resources: [{group: apps, resourceNames: [a]}]}]`,
    /names resourceNames without resources[\s\S]*rules\[0\]\.resources\[0\]/,
  ],
  [
    'a path with a wildcard in the middle',
    `${HEAD}rules: [{level: None, nonResourceURLs: ["/a*/b"]}]`,
    /"\*" at its end alone/,
  ],
  ['a path without a leading slash', `${HEAD}rules: [{level: None, nonResourceURLs: ["healthz"]}]`, /begin with "\/"/],
  [
    'a rule for both paths and resources',
    `${HEAD}rules: [{level: None, nonResourceURLs: ["/a"], namespaces: [red]}]`,
    /make two rules of it[\s\S]*rules\[0\]/,
  ],
];

test.each(invalidPolicies)('rejects %s', (_, yaml, expectedError) => {
  expect(() => parsePolicyFile(yaml)).toThrow(AuditPolicyError);
  expect(() => parsePolicyFile(yaml)).toThrow(expectedError);
});
