import { describe, expect, test } from 'vitest';
import { labelValue, namesWithLabel } from './label-value.ts';
import { labelValueErrors } from './names.ts';

describe('the label for a name of the cloud', () => {
  test.each([
    { name: 'nova-a', label: 'nova-a', reason: 'a valid one stays' },
    { name: 'AZ 1', label: 'AZ-1', reason: 'other characters become dashes' },
    { name: 'SCS-2V:8:20s', label: 'SCS-2V-8-20s', reason: 'each of them' },
    { name: 'AZ  /  1', label: 'AZ-1', reason: 'and a run of them one' },
    { name: 'Zürich', label: 'Z-rich', reason: 'also letters outside of ASCII' },
    { name: 'a\u{1F680}b', label: 'a-b', reason: 'and outside of the first plane' },
    { name: '-a.b_', label: 'a.b', reason: 'the ends are letters or digits' },
    { name: ' nova ', label: 'nova', reason: 'after blanks, too' },
    { name: `${'-'.repeat(80)}x`, label: 'x', reason: 'what is cut off at the start does not count' },
    { name: 'a'.repeat(255), label: 'a'.repeat(63), reason: '63 at most' },
    { name: `${'a'.repeat(62)}-b`, label: 'a'.repeat(62), reason: 'the end is one after the cut, too' },
    { name: '', label: '', reason: 'no name has none' },
  ])('is $label: $reason', ({ name, label }) => {
    expect(labelValue(name)).toBe(label);
  });

  test.each(['東京', '...', ' ', '\u{1F680}'])('is a hash of %j, which has no valid character', (name) => {
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
    { label: 'AZ-1', names: ['AZ 1', 'AZ 2'], found: ['AZ 1'], reason: 'the one that it was made from' },
    { label: 'AZ 1', names: ['AZ 1', 'AZ 2'], found: ['AZ 1'], reason: 'also where it is the name itself' },
    { label: 'AZ-1', names: ['AZ 1', 'AZ-1', 'AZ 1'], found: ['AZ 1', 'AZ-1'], reason: 'each once where they collide' },
    { label: 'AZ-3', names: ['AZ 1'], found: [], reason: 'none of another' },
  ])('are $found of $names: $reason', ({ label, names, found }) => {
    expect(namesWithLabel(label, names)).toEqual(found);
  });
});
