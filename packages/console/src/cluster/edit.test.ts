import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Resource, type Stored } from '../api/resources.ts';
import { changedMeanwhile, EDITED_MEANWHILE, Edit } from './edit.ts';

interface Thing extends Stored {
  readonly spec: { readonly size: number; readonly name?: string };
}

const things: Resource<Thing> = { group: 'g.dev', version: 'v1', plural: 'things', kind: 'Thing', isNamespaced: true };

function thing(size: number, resourceVersion: string, uid = 'u1'): Thing {
  return { metadata: { namespace: 'team', name: 'a', uid, resourceVersion }, spec: { size } };
}

let stored: Thing;
let written: unknown[];
/** What others write between the reading and the writing. */
let others: (() => void)[];
const { fetch } = globalThis;
beforeEach(() => {
  stored = thing(3, '1');
  written = [];
  others = [];
  globalThis.fetch = (_input, { body } = {}) => {
    if (typeof body !== 'string') return Promise.resolve(Response.json(stored));
    others.shift()?.();
    const patch = JSON.parse(body) as Thing;
    const { uid, resourceVersion } = patch.metadata;
    if (uid !== stored.metadata.uid || resourceVersion !== stored.metadata.resourceVersion) {
      const message = 'the object has been modified';
      return Promise.resolve(Response.json({ kind: 'Status', message, reason: 'Conflict' }, { status: 409 }));
    }
    written.push(patch.spec);
    return Promise.resolve(Response.json(stored));
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

it('writes what has been changed, though controllers write meanwhile', async () => {
  const edit = new Edit(things, stored);
  stored = thing(3, '2');
  others.push(
    () => void (stored = thing(3, '3')),
    () => void (stored = thing(3, '4')),
  );
  await edit.save({ spec: { size: 5 } });

  expect(written).toEqual([{ size: 5 }]);
});

it.each([
  { when: 'before it is saved', write: () => void (stored = thing(7, '2')) },
  { when: 'while it is saved', write: () => void others.push(() => void (stored = thing(7, '2'))) },
])('overwrites nobody who has written the same field $when, until it has been seen', async ({ write }) => {
  const edit = new Edit(things, stored);
  write();

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({
    reason: EDITED_MEANWHILE,
    causes: [{ field: 'spec.size', message: '7' }],
  });
  expect(written).toEqual([]);
  await edit.save({ spec: { size: 5 } });
  expect(written).toEqual([{ size: 5 }]);
});

it('writes nothing to another object of the name', async () => {
  const edit = new Edit(things, stored);
  stored = thing(3, '1', 'u2');

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({ code: 409 });
  expect(written).toEqual([]);
});

it('gives up where every attempt comes too late', async () => {
  const edit = new Edit(things, stored);
  const tooLate = (): void => {
    stored = thing(3, `${Number(stored.metadata.resourceVersion) + 1}`);
    others.push(tooLate);
  };
  others.push(tooLate);

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({ code: 409 });
});

it.each([
  { now: { spec: { size: 3 } }, patch: { spec: { size: 5 } }, fields: [], reason: 'nobody else has changed it' },
  { now: { spec: { size: 5 } }, patch: { spec: { size: 5 } }, fields: [], reason: 'both want the same' },
  { now: { spec: { size: 7, other: 1 } }, patch: { spec: { other: 1 } }, fields: [], reason: 'another field' },
  { now: { spec: {} }, patch: { spec: { size: null } }, fields: [], reason: 'both take it away' },
  { now: { spec: {} }, patch: { spec: { size: 5 } }, fields: ['spec.size'], reason: 'it was taken away' },
  { now: {}, patch: { spec: { size: 5 } }, fields: ['spec.size'], reason: 'all of it was' },
  { now: { spec: { size: [1] } }, patch: { spec: { size: null } }, fields: ['spec.size'], reason: 'it was changed' },
])('$patch after $now: $reason', ({ now, patch, fields }) => {
  expect(changedMeanwhile({ spec: { size: 3 } }, now, patch).map(({ field }) => field)).toEqual(fields);
});
