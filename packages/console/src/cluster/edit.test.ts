import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Resource, type StoredObject } from '../api/resources.ts';
import { CONCURRENT_EDIT, concurrentChanges, Edit } from './edit.ts';

interface Thing extends StoredObject {
  readonly spec: { readonly size: number; readonly name?: string };
}

const testResource: Resource<Thing> = {
  group: 'g.dev',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  isNamespaced: true,
};

function thing(size: number, resourceVersion: string, uid = 'u1'): Thing {
  return { metadata: { namespace: 'team', name: 'a', uid, resourceVersion }, spec: { size } };
}

let stored: Thing;
let writtenObjects: unknown[];
/** Writes by other clients between the read and the write. */
let foreignChanges: (() => void)[];
const { fetch } = globalThis;
beforeEach(() => {
  stored = thing(3, '1');
  writtenObjects = [];
  foreignChanges = [];
  globalThis.fetch = (_input, { body } = {}) => {
    if (typeof body !== 'string') return Promise.resolve(Response.json(stored));
    foreignChanges.shift()?.();
    const patch = JSON.parse(body) as Thing;
    const { uid, resourceVersion } = patch.metadata;
    if (uid !== stored.metadata.uid || resourceVersion !== stored.metadata.resourceVersion) {
      const message = 'the object has been modified';
      return Promise.resolve(Response.json({ kind: 'Status', message, reason: 'Conflict' }, { status: 409 }));
    }
    writtenObjects.push(patch.spec);
    return Promise.resolve(Response.json(stored));
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

it('writes the change even though controllers write at the same time', async () => {
  const edit = new Edit(testResource, stored);
  stored = thing(3, '2');
  foreignChanges.push(
    () => void (stored = thing(3, '3')),
    () => void (stored = thing(3, '4')),
  );
  await edit.save({ spec: { size: 5 } });

  expect(writtenObjects).toEqual([{ size: 5 }]);
});

it.each([
  { when: 'before the save', write: () => void (stored = thing(7, '2')) },
  { when: 'during the save', write: () => void foreignChanges.push(() => void (stored = thing(7, '2'))) },
])('does not overwrite a conflicting change made $when until the user has seen it', async ({ write }) => {
  const edit = new Edit(testResource, stored);
  write();

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({
    reason: CONCURRENT_EDIT,
    causes: [{ field: 'spec.size', message: '7' }],
  });
  expect(writtenObjects).toEqual([]);
  await edit.save({ spec: { size: 5 } });
  expect(writtenObjects).toEqual([{ size: 5 }]);
});

it('does not write to another object with the same name', async () => {
  const edit = new Edit(testResource, stored);
  stored = thing(3, '1', 'u2');

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({ code: 409 });
  expect(writtenObjects).toEqual([]);
});

it('gives up if every attempt conflicts', async () => {
  const edit = new Edit(testResource, stored);
  const conflictingEdit = (): void => {
    stored = thing(3, `${Number(stored.metadata.resourceVersion) + 1}`);
    foreignChanges.push(conflictingEdit);
  };
  foreignChanges.push(conflictingEdit);

  await expect(edit.save({ spec: { size: 5 } })).rejects.toMatchObject({ code: 409 });
});

it.each([
  {
    now: { spec: { size: 3 } },
    patch: { spec: { size: 5 } },
    fields: [],
    reason: 'only the user has changed the field',
  },
  {
    now: { spec: { size: 5 } },
    patch: { spec: { size: 5 } },
    fields: [],
    reason: 'both users have set the same value',
  },
  {
    now: { spec: { size: 7, other: 1 } },
    patch: { spec: { other: 1 } },
    fields: [],
    reason: 'someone else changed another field',
  },
  { now: { spec: {} }, patch: { spec: { size: null } }, fields: [], reason: 'both users have removed the field' },
  {
    now: { spec: {} },
    patch: { spec: { size: 5 } },
    fields: ['spec.size'],
    reason: 'someone else has removed the field',
  },
  {
    now: {},
    patch: { spec: { size: 5 } },
    fields: ['spec.size'],
    reason: 'someone else has removed the parent of the field',
  },
  {
    now: { spec: { size: [1] } },
    patch: { spec: { size: null } },
    fields: ['spec.size'],
    reason: 'someone else has changed the field',
  },
])('$patch after $now: $reason', ({ now, patch, fields }) => {
  expect(concurrentChanges({ spec: { size: 3 } }, now, patch).map(({ field }) => field)).toEqual(fields);
});
