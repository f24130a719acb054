import { expect, test } from 'vitest';
import { Namespaces, Pods } from '../kinds/resources.ts';
import { policyRules, READ } from './rights.ts';

test('what several controllers may do with a kind is one rule, and so are kinds with the same verbs', () => {
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

test('a right on some objects stays apart from one on all', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: Pods, names: ['a'], verbs: ['delete'] },
  ]);

  expect(rules).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['delete'] },
  ]);
});

test('a group of two kinds with the same verbs never gives away another group', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: { group: 'example.com', plural: 'pods' }, verbs: ['get'] },
  ]);

  expect(rules.map(({ apiGroups }) => apiGroups)).toEqual([[''], ['example.com']]);
});
