import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, it } from 'vitest';
import type { Definitions, Schema } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const string: Schema = { type: 'string' };
const definitions: Definitions = new Map<string, Schema>([
  [
    'Container',
    {
      type: 'object',
      properties: {
        name: string,
        image: string,
        args: { type: 'array', items: string },
        ports: {
          type: 'array',
          items: { type: 'object', properties: { containerPort: { type: 'integer' }, protocol: string } },
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'containerPort',
        },
      },
    },
  ],
]);
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        containers: {
          type: 'array',
          items: { $ref: 'Container' },
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'name',
        },
        finalizers: { type: 'array', items: string, 'x-kubernetes-patch-strategy': 'merge' },
        strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' },
        selector: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
        free: { type: 'object', additionalProperties: string },
      },
    },
  },
};

function patched(spec: object, patch: object): unknown {
  const target = { metadata: {}, spec };
  const previous = JSON.stringify(target);
  const result = applyStrategicMergePatch({ schema, definitions }, target, { spec: patch });
  expect(JSON.stringify(target)).toBe(previous);
  return (result as KubeObject & { spec: unknown }).spec;
}

const a = { name: 'a', image: 'a:1' };
const b = { name: 'b', image: 'b:1' };
const c = { name: 'c', image: 'c:1' };

describe('strategic merge patch', () => {
  it.each<[string, object, object, object]>([
    [
      'merges a list by key',
      { containers: [a, b] },
      { containers: [{ name: 'b', image: 'b:2' }] },
      { containers: [a, { ...b, image: 'b:2' }] },
    ],
    ['puts an item with a new key first', { containers: [a] }, { containers: [b] }, { containers: [b, a] }],
    ['deletes an item', { containers: [a, b] }, { containers: [{ name: 'a', $patch: 'delete' }] }, { containers: [b] }],
    [
      'deletes a field of an item',
      { containers: [a] },
      { containers: [{ name: 'a', image: null }] },
      { containers: [{ name: 'a' }] },
    ],
    ['replaces a list', { containers: [a, b] }, { containers: [c, { $patch: 'replace' }] }, { containers: [c] }],
    [
      'replaces a list without a patch strategy',
      { containers: [{ ...a, args: ['x'] }] },
      { containers: [{ name: 'a', args: ['y'] }] },
      { containers: [{ ...a, args: ['y'] }] },
    ],
    [
      'merges lists within items',
      { containers: [{ ...a, ports: [{ containerPort: 80 }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'UDP' }, { containerPort: 81 }] }] },
      { containers: [{ ...a, ports: [{ containerPort: 80, protocol: 'UDP' }, { containerPort: 81 }] }] },
    ],
    ['merges primitives', { finalizers: ['x', 'y'] }, { finalizers: ['y', 'z'] }, { finalizers: ['x', 'y', 'z'] }],
    [
      'deletes primitives',
      { finalizers: ['x', 'y'] },
      { '$deleteFromPrimitiveList/finalizers': ['x'] },
      { finalizers: ['y'] },
    ],
    [
      'orders primitives',
      { finalizers: ['x', 'y'] },
      { finalizers: ['z'], '$setElementOrder/finalizers': ['z', 'y', 'x'] },
      { finalizers: ['z', 'y', 'x'] },
    ],
    [
      'orders items, and items only on the server keep their place',
      { containers: [a, b, c] },
      { containers: [{ name: 'd' }], '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'd' }] },
      { containers: [b, c, a, { name: 'd' }] },
    ],
    [
      'orders without merging',
      { containers: [a, b] },
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      { containers: [b, a] },
    ],
    [
      'retains keys',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'replaces a map with the replace strategy',
      { selector: { x: '1' } },
      { selector: { y: '2' } },
      { selector: { y: '2' } },
    ],
    [
      'replaces a map by directive',
      { free: { x: '1' } },
      { free: { y: '2', $patch: 'replace' } },
      { free: { y: '2' } },
    ],
    ['empties a map by directive', { free: { x: '1' } }, { free: { $patch: 'delete' } }, { free: {} }],
    ['merges maps', { free: { x: '1' } }, { free: { y: '2', x: null } }, { free: { y: '2' } }],
    ['deletes a field', { free: { x: '1' } }, { free: null }, {}],
    ['replaces fields unknown to the schema', { other: [1, { a: 1 }] }, { other: [2] }, { other: [2] }],
  ])('%s', (_, spec, patch, expected) => {
    expect(patched(spec, patch)).toEqual(expected);
  });

  it('merges metadata of any object', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' };
    const target = { metadata: { labels: { a: '1' }, finalizers: ['x'], ownerReferences: [owner] } };
    const patch = {
      metadata: { labels: { b: '2' }, finalizers: ['y'], ownerReferences: [{ uid: '1', $patch: 'delete' }] },
    };
    expect(applyStrategicMergePatch({ schema, definitions }, target, patch)).toEqual({
      metadata: { labels: { a: '1', b: '2' }, finalizers: ['y', 'x'], ownerReferences: [] },
    });
  });

  it.each<[string, object, string]>([
    [
      'an item without a key',
      { containers: [{ image: 'x' }] },
      'map: {"image":"x"} does not contain declared merge key: name',
    ],
    ['an unknown directive', { free: { $patch: 'burn' } }, 'unknown patch type: "burn"'],
    [
      'a retainKeys list without a field that the patch sets',
      { strategy: { $retainKeys: [], type: 'x' } },
      'not a valid retainKeys patch',
    ],
    [
      'an order that is not a list',
      { containers: [a], '$setElementOrder/containers': 'a' },
      'invalid patch format of setElementOrder list',
    ],
  ])('rejects %s', (_, patch, message) => {
    expect(() => patched({ containers: [] }, patch)).toThrow(message);
  });
});
