import type { KubeObject, ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { trackUpdate } from './managed-fields.ts';

const T0 = Date.UTC(2026, 0, 1);
const LATER = T0 + 60_000;

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        free: { type: 'object', additionalProperties: { type: 'string' } },
        atomicMap: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        atomicList: { type: 'array', items: { type: 'string' } },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
            },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};

interface Thing extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

function thing(spec: Record<string, unknown> | undefined, rest: Partial<Thing> = {}): Thing {
  return { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a' }, ...(spec && { spec }), ...rest };
}

interface Write {
  readonly manager?: string;
  readonly subresource?: string;
  readonly nowMs?: number;
  readonly hasStatus?: boolean;
}

function track(live: Thing | undefined, updated: Thing, write: Write = {}): readonly ManagedFieldsEntry[] {
  const { manager = 'm', subresource = '', nowMs = T0, hasStatus = true } = write;
  return trackUpdate({
    schema,
    definitions: new Map(),
    live,
    updated,
    manager,
    subresource,
    nowMs,
    hasStatus,
    apiVersion: 'x.io/v1',
  });
}

function stored(object: Thing, entries: readonly ManagedFieldsEntry[]): Thing {
  return { ...object, metadata: { ...object.metadata, uid: '1', managedFields: [...entries] } };
}

function created(object: Thing, write?: Write): Thing {
  return stored(object, track(undefined, object, write));
}

const fieldsByManager = (entries: readonly ManagedFieldsEntry[]) =>
  Object.fromEntries(entries.map((entry) => [entry.manager, entry.fieldsV1]));

describe('ownership after a create', () => {
  it.each<[string, object, object]>([
    ['scalars', { replicas: 1 }, { 'f:replicas': {} }],
    ['maps by key', { free: { a: '1' } }, { 'f:free': { '.': {}, 'f:a': {} } }],
    ['empty maps', { free: {} }, { 'f:free': {} }],
    ['atomic maps as a whole', { atomicMap: { a: '1' } }, { 'f:atomicMap': {} }],
    ['atomic lists as a whole', { atomicList: ['a'] }, { 'f:atomicList': {} }],
    ['sets by value', { set: ['b', 'a'] }, { 'f:set': { '.': {}, 'v:"a"': {}, 'v:"b"': {} } }],
    ['repeated values of a set as one', { set: ['a', 'a'] }, { 'f:set': { '.': {}, 'v:"a"': {} } }],
    [
      'items by keys and their defaults',
      { items: [{ port: 80, name: 'x' }] },
      { 'f:items': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } } },
    ],
    ['the whole list if its items have no keys', { items: ['x'] }, { 'f:items': {} }],
    [
      'unknown objects by field, unknown lists as a whole',
      { other: { a: [{ b: 1 }] } },
      { 'f:other': { '.': {}, 'f:a': {} } },
    ],
    ['nulls', { free: null }, { 'f:free': {} }],
  ])('%s', (_, spec, expected) => {
    const [entry] = track(undefined, thing(spec as Record<string, unknown>));
    expect(entry?.fieldsV1).toEqual({ 'f:spec': { '.': {}, ...expected } });
  });

  it('is one entry with manager, operation and time, without server-owned fields', () => {
    const metadata = {
      name: 'a',
      uid: '1',
      resourceVersion: '5',
      generation: 1,
      creationTimestamp: 'x',
      labels: { l: '1' },
    };
    expect(track(undefined, thing(undefined, { metadata, status: { phase: 'x' } }))).toEqual([
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'x.io/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } },
      },
    ]);
  });

  it('is empty if there is nothing to own, and is recorded for the manager `unknown` if none is specified', () => {
    expect(track(undefined, thing(undefined))).toEqual([]);
    expect(track(undefined, thing({ replicas: 1 }), { manager: '' })[0]?.manager).toBe('unknown');
  });
});

describe('ownership after an update', () => {
  it('is unchanged if nothing changes', () => {
    const live = created(thing({ replicas: 1, items: [{ port: 1 }], set: ['a'] }));
    const same = JSON.parse(JSON.stringify(live)) as Thing;
    same.metadata = { ...same.metadata, resourceVersion: '9', generation: 7 };
    same.status = { phase: 'set by another endpoint' };
    expect(track(live, same, { nowMs: LATER })).toEqual(live.metadata.managedFields);
    expect(track(live, { ...live, metadata: { ...live.metadata } })).toBe(live.metadata.managedFields);
  });

  it('only gets a new time if the manager changes its own fields', () => {
    const live = created(thing({ replicas: 1 }));
    const [entry] = track(live, { ...live, spec: { replicas: 2 } }, { nowMs: LATER });
    expect(entry).toEqual({ ...live.metadata.managedFields?.[0], time: '2026-01-01T00:01:00Z' });
    expect(entry?.fieldsV1).toBe(live.metadata.managedFields?.[0]?.fieldsV1);
  });

  it("moves to the writer for another manager's fields, and leaves no empty entry", () => {
    const live = created(thing({ replicas: 1, atomicList: ['a'] }));
    const once = track(live, { ...live, spec: { replicas: 2, atomicList: ['a'] } }, { manager: 'n', nowMs: LATER });
    expect(fieldsByManager(once)).toEqual({
      m: { 'f:spec': { '.': {}, 'f:atomicList': {} } },
      n: { 'f:spec': { 'f:replicas': {} } },
    });
    const bare = created(thing(undefined, { metadata: { name: 'a', labels: { l: '1' } } }));
    const remainingEntries = track(
      bare,
      { ...bare, metadata: { ...bare.metadata, labels: undefined as never } },
      { manager: 'n' },
    );
    expect(remainingEntries).toEqual([]);
  });

  it('is dropped for removed fields', () => {
    const live = created(thing({ replicas: 1, set: ['a', 'b'], items: [{ port: 1, name: 'x' }, { port: 2 }] }));
    const updated = { ...live, spec: { replicas: 1, set: ['b'], items: [{ port: 2 }] } };
    expect(fieldsByManager(track(live, updated, { manager: 'n' }))).toEqual({
      m: {
        'f:spec': {
          '.': {},
          'f:items': { '.': {}, 'k:{"port":2,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
          'f:replicas': {},
          'f:set': { '.': {}, 'v:"b"': {} },
        },
      },
    });
  });

  it('is unchanged if only the order of a list owned by item changes', () => {
    const live = created(thing({ set: ['a', 'b'] }));
    expect(track(live, { ...live, spec: { set: ['b', 'a'] } }, { manager: 'n' })).toBe(live.metadata.managedFields);
  });

  it('is tracked for a value that changes its type', () => {
    const live = created(thing({ other: { a: 1 } }));
    expect(fieldsByManager(track(live, { ...live, spec: { other: 5 } }, { manager: 'n' }))).toEqual({
      m: { 'f:spec': {} },
      n: { 'f:spec': { 'f:other': {} } },
    });
  });
});

describe('subresources', () => {
  it('status is owned only through the status subresource, which does not take over spec', () => {
    const live = created(thing({ replicas: 1 }));
    const updated = { ...live, spec: { replicas: 9 }, status: { phase: 'Ready' } };
    const entries = track(live, updated, { subresource: 'status', manager: 'm' });
    expect(entries.map(({ subresource, fieldsV1 }) => ({ subresource, fieldsV1 }))).toEqual([
      { subresource: undefined, fieldsV1: { 'f:spec': { '.': {}, 'f:replicas': {} } } },
      { subresource: 'status', fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } } },
    ]);
  });

  it('status is an ordinary field if it is not a subresource', () => {
    const [entry] = track(undefined, thing(undefined, { status: { phase: 'x' } }), { hasStatus: false });
    expect(entry?.fieldsV1).toEqual({ 'f:status': { '.': {}, 'f:phase': {} } });
  });

  it('scale owns the field that it sets', () => {
    const live = created(thing({ replicas: 1 }));
    const entries = track(live, { ...live, spec: { replicas: 3 } }, { subresource: 'scale', manager: 'hpa' });
    expect(fieldsByManager(entries)).toEqual({ m: { 'f:spec': {} }, hpa: { 'f:spec': { 'f:replicas': {} } } });
  });
});

describe('managedFields sent by a client', () => {
  const live = created(thing({ replicas: 1 }));
  it.each<[string, ManagedFieldsEntry[] | undefined, number]>([
    ['if missing, the stored ones apply', undefined, 1],
    ['an empty list resets them', [], 0],
    ['a list of one empty entry resets them', [{}], 0],
    ['invalid entries are ignored', [{ manager: 'x', operation: 'Update' }], 1],
  ])('%s', (_, managedFields, expected) => {
    const metadata = { ...live.metadata, managedFields: managedFields as ManagedFieldsEntry[] };
    expect(track(live, { ...live, metadata })).toHaveLength(expected);
  });

  it('leaves an object without entries untracked', () => {
    const bare = { ...live, metadata: { name: 'a', uid: '1' } };
    expect(track(bare, { ...bare, spec: { replicas: 2 } })).toEqual([]);
  });

  it('is limited to separate entries for ten updaters', () => {
    let object = created(thing({ free: {} }), { manager: 'm00' });
    for (let index = 1; index <= 14; index++) {
      const manager = `m${String(index).padStart(2, '0')}`;
      const spec = { free: { ...(object.spec?.free as object), [manager]: '' } };
      object = stored({ ...object, spec }, track(object, { ...object, spec }, { manager, nowMs: T0 + index * 1000 }));
    }
    const entries = object.metadata.managedFields ?? [];
    expect(entries).toHaveLength(10);
    expect(entries[0]?.manager).toBe('ancient-changes');
    expect(Object.keys(entries[0]?.fieldsV1?.['f:spec'] as object)).toContain('f:free');
  });
});
