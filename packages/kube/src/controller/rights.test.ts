import { expect, test } from 'vitest';
import { Namespaces, Pods } from '../kinds/resources.ts';
import { policyRules, READ } from './rights.ts';

test('rights of several controllers to one kind merge into one rule, and so do kinds with the same verbs', () => {
  const rules = policyRules([
    { type: Pods, verbs: READ },
    { type: Namespaces, verbs: [...READ, 'patch'] },
    { type: Pods, verbs: ['patch', 'get'] },
    { type: Pods, subresource: 'status', verbs: ['patch'] },
  ]);

  expect(rules).toEqual([
    { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  ]);
});

test('a right to named objects is not merged with one to all objects', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: Pods, names: ['a'], verbs: ['delete'] },
  ]);

  expect(rules).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['delete'] },
  ]);
});

test('merging kinds with the same verbs never grants a kind of another group', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: { group: 'example.com', plural: 'pods' }, verbs: ['get'] },
  ]);

  expect(rules.map(({ apiGroups }) => apiGroups)).toEqual([[''], ['example.com']]);
});
