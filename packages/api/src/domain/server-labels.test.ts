import { describe, expect, test } from 'vitest';
import { aNodePool } from '../testing/objects.ts';
import { serverLabelErrors } from './server-labels.ts';

describe('server tags and metadata', () => {
  test.each([
    ['a tag that Fairway reserves', { serverTags: ['fairway'] }, 'spec.serverTags[0]'],
    ['a tag that Fairway reserves, in another case', { serverTags: ['ok', 'FAIRWAY-machine-1'] }, 'spec.serverTags[1]'],
    [
      'a tag that a case-insensitive database may confuse with another',
      { serverTags: ['a', 'A'] },
      'spec.serverTags[1]',
    ],
    [
      'a key that Fairway reserves',
      { serverMetadata: { 'Fairway.dev.cluster': 'x' } },
      'spec.serverMetadata[Fairway.dev.cluster]',
    ],
    ['a key that Nova refuses', { serverMetadata: { 'a/b': 'x' } }, 'spec.serverMetadata'],
    ['an empty key', { serverMetadata: { '': 'x' } }, 'spec.serverMetadata'],
    [
      'a key that a case-insensitive database may confuse with another',
      { serverMetadata: { a: '', A: '' } },
      'spec.serverMetadata[A]',
    ],
    [
      'too much metadata',
      { serverMetadata: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, ''])) },
      'spec.serverMetadata',
    ],
  ])('refuses %s', (_, spec, field) => {
    expect(serverLabelErrors(aNodePool(spec).spec).map((error) => error.field)).toEqual([field]);
  });

  test('accepts words that merely begin like a reserved one', () => {
    const spec = { serverTags: ['fairways', 'my-fairway'], serverMetadata: { fairwaydev: '', 'my.fairway.dev': '' } };

    expect(serverLabelErrors(aNodePool(spec).spec)).toEqual([]);
  });
});
