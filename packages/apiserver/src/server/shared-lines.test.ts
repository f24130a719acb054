import { describe, expect, it } from 'vitest';
import { type Change, Entry } from '../store/store.ts';
import { ListText } from './list-text.ts';
import type { Representation } from './representation.ts';
import { initialLine, missedLine } from './shared-lines.ts';

const plain: Representation = {
  id: 'plain',
  contentType: 'application/json',
  objectText: (entry) => entry.text,
  listText: () => new ListText('', [], ''),
  bookmarkText: () => '',
};
const other: Representation = { ...plain, id: 'other' };

function entry(chars: number): Entry {
  return new Entry('default/a', 1, JSON.stringify({ data: 'x'.repeat(chars) }));
}

describe('the text of a large object', () => {
  it('is shared by all watches that begin with it', () => {
    const large = entry(10_000);

    expect(initialLine(large, plain)).toBe(initialLine(large, plain));
    expect(initialLine(large, plain).text).toBe(`{"type":"ADDED","object":${large.text}}\n`);
  });

  it('is shared by all watches that missed the same change, per event type', () => {
    const change: Change = { bucket: 'maps', removed: false, entry: entry(10_000), previous: undefined };
    const line = missedLine(change, 'ADDED', plain);

    expect(missedLine(change, 'ADDED', plain)).toBe(line);
    expect(missedLine(change, 'DELETED', plain)).not.toBe(line);
    expect(missedLine(change, 'ADDED', other)).not.toBe(line);
  });

  it('is separate for a different revision', () => {
    expect(initialLine(entry(10_000), plain)).not.toBe(initialLine(entry(10_000), plain));
  });
});
