import { expect, test } from 'vitest';
import { Ledger } from './ledger.ts';

const SETTLE_MS = 1000;
const one = { id: 'id1' };

test('reports a resource that was never requested as missing', () => {
  expect(new Ledger(SETTLE_MS).observe('a', [], 100)).toEqual({ kind: 'known', items: [], deleting: [] });
});

test.each([
  { listBeganAtMs: 49, items: [one], reason: 'the list began before the response to the create' },
  { listBeganAtMs: 50, items: [one], reason: 'only a later list is conclusive' },
  { listBeganAtMs: 51, items: [], reason: 'a later list without the resource is conclusive' },
])('handles a create whose response arrives at 50: $reason', ({ listBeganAtMs, items }) => {
  const ledger = new Ledger(SETTLE_MS);
  ledger.recordWritten('a', one, 50);

  expect(ledger.observe('a', [], listBeganAtMs)).toMatchObject({ kind: 'known', items });
});

test('ignores a list that predates a create or change', () => {
  const ledger = new Ledger<{ id: string; rules: number }>(SETTLE_MS);
  ledger.recordWritten('a', { id: 'id1', rules: 4 }, 50);

  expect(ledger.observe('a', [{ id: 'id1', rules: 0 }], 49)).toMatchObject({ items: [{ id: 'id1', rules: 4 }] });
  expect(ledger.observe('a', [{ id: 'id1', rules: 5 }], 51)).toMatchObject({ items: [{ id: 'id1', rules: 5 }] });
});

test.each([
  { listed: [], listBeganAtMs: 1049, kind: 'settling', reason: 'the create may still take effect' },
  { listed: [], listBeganAtMs: 1050, kind: 'known', reason: 'the list began after the settle time' },
  { listed: [one], listBeganAtMs: 60, kind: 'known', reason: 'the create has taken effect' },
])('handles a create with an unknown outcome at 50: $reason', ({ listed, listBeganAtMs, kind }) => {
  const ledger = new Ledger(SETTLE_MS);
  ledger.recordUnknown('a', 50);

  expect(ledger.observe('a', listed, listBeganAtMs).kind).toBe(kind);
});

test('remembers an accepted deletion until the settle time has passed', () => {
  const ledger = new Ledger(SETTLE_MS);
  ledger.recordDeleted('id1', 50);

  expect(ledger.observe('a', [one], 1050)).toMatchObject({ items: [], deleting: [one] });
  expect(ledger.observe('a', [one], 1051)).toMatchObject({ items: [one], deleting: [] });
});

test.each([
  {
    owner: 'old',
    listed: [],
    listBeganAtMs: 1049,
    kind: 'settling',
    reason: 'the previous process may have requested it',
  },
  { owner: 'old', listed: [one], listBeganAtMs: 60, kind: 'known', reason: 'the previous process created it' },
  {
    owner: 'old',
    listed: [],
    listBeganAtMs: 1050,
    kind: 'known',
    reason: 'the requests of the previous process have settled',
  },
  { owner: 'new', listed: [], listBeganAtMs: 60, kind: 'known', reason: 'the previous process did not know the owner' },
])('handles a previous process that stopped at 50: $reason', ({ owner, listed, listBeganAtMs, kind }) => {
  const ledger = new Ledger(SETTLE_MS, { untilMs: 50, isNew: (name) => name === 'new' });

  expect(ledger.observe(owner, listed, listBeganAtMs).kind).toBe(kind);
});

test('recognizes a resource created while the previous process may still have requests pending', () => {
  const ledger = new Ledger(SETTLE_MS, { untilMs: 50, isNew: () => false });
  ledger.recordWritten('a', one, 70);

  expect(ledger.observe('a', [], 60)).toEqual({ kind: 'known', items: [one], deleting: [] });
});
