import { expect, test } from 'vitest';
import { Namespaces, Pods } from '../kinds/resources.ts';
import { policyRules, READ } from './rights.ts';

test('merges several controllers’ permissions on one kind, and kinds with the same verbs, into one rule', () => {
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

test('does not merge a permission on named objects with one on all objects', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: Pods, names: ['a'], verbs: ['delete'] },
  ]);

  expect(rules).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['delete'] },
  ]);
});

test('never grants access to a kind in another group by merging kinds with the same verbs', () => {
  const rules = policyRules([
    { type: Pods, verbs: ['get'] },
    { type: { group: 'example.com', plural: 'pods' }, verbs: ['get'] },
  ]);

  expect(rules.map(({ apiGroups }) => apiGroups)).toEqual([[''], ['example.com']]);
});
