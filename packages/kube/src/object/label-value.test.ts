import { describe, expect, test } from 'vitest';
import { labelValue, namesWithLabel } from './label-value.ts';
import { labelValueErrors } from './names.ts';

describe('the label for a name from the cloud', () => {
  test.each([
    { name: 'nova-a', label: 'nova-a', reason: 'a valid name stays' },
    { name: 'AZ 1', label: 'AZ-1', reason: 'other characters become dashes' },
    { name: 'SCS-2V:8:20s', label: 'SCS-2V-8-20s', reason: 'each invalid character becomes a dash' },
    { name: 'AZ  /  1', label: 'AZ-1', reason: 'a run of invalid characters becomes one dash' },
    { name: 'Zürich', label: 'Z-rich', reason: 'non-ASCII letters are invalid' },
    { name: 'a\u{1F680}b', label: 'a-b', reason: 'characters outside the Basic Multilingual Plane are invalid' },
    { name: '-a.b_', label: 'a.b', reason: 'the ends are letters or digits' },
    { name: ' nova ', label: 'nova', reason: 'the ends are letters or digits after blanks are trimmed' },
    {
      name: `${'-'.repeat(80)}x`,
      label: 'x',
      reason: 'characters cut off at the start do not count towards the maximum length',
    },
    { name: 'a'.repeat(255), label: 'a'.repeat(63), reason: 'at most 63 characters are kept' },
    { name: `${'a'.repeat(62)}-b`, label: 'a'.repeat(62), reason: 'the end after the cut is a letter or digit' },
    { name: '', label: '', reason: 'an empty name has no label' },
  ])('is $label: $reason', ({ name, label }) => {
    expect(labelValue(name)).toBe(label);
  });

  test.each(['東京', '...', ' ', '\u{1F680}'])('is a hash for %j, which has no valid characters', (name) => {
    expect(labelValue(name)).toMatch(/^x-[0-9a-f]{8}$/);
    expect(labelValue(name)).not.toBe(labelValue('大阪'));
  });

  test.each(['AZ 1', 'Zürich', '東京', '-a.b_', 'a'.repeat(255), `${'a'.repeat(62)}-b`, '\u0000\n'])(
    'is valid, and unchanged when applied again, for %j',
    (name) => {
      expect(labelValueErrors(labelValue(name))).toEqual([]);
      expect(labelValue(labelValue(name))).toBe(labelValue(name));
    },
  );
});

describe('the names with a label', () => {
  test.each([
    { label: 'AZ-1', names: ['AZ 1', 'AZ 2'], found: ['AZ 1'], reason: 'the name that the label was made from' },
    { label: 'AZ 1', names: ['AZ 1', 'AZ 2'], found: ['AZ 1'], reason: 'a name that equals its label' },
    {
      label: 'AZ-1',
      names: ['AZ 1', 'AZ-1', 'AZ 1'],
      found: ['AZ 1', 'AZ-1'],
      reason: 'each name once if labels collide',
    },
    { label: 'AZ-3', names: ['AZ 1'], found: [], reason: 'no name that belongs to another label' },
  ])('are $found of $names: $reason', ({ label, names, found }) => {
    expect(namesWithLabel(label, names)).toEqual(found);
  });
});
