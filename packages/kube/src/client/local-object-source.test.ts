import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/meta.ts';
import { LocalObjectSource } from './local-object-source.ts';

interface Lamp extends KubeObject {
  readonly spec: { readonly colour: string };
}

const type = { group: 'test', version: 'v1', plural: 'lamps', kind: 'Lamp', namespaced: true } as const;
const lamp = (name: string, colour: string, uid = name): Lamp => ({
  metadata: { namespace: 'hall', name, uid },
  spec: { colour },
});

function setUp() {
  const lamps = new LocalObjectSource<Lamp>(type);
  const events: string[] = [];
  lamps.addHandler({
    onAdd: ({ metadata }) => events.push(`add ${metadata.uid}`),
    onUpdate: (old, { spec }) => events.push(`update ${old.spec.colour} ${spec.colour}`),
    onDelete: ({ metadata }) => events.push(`delete ${metadata.uid}`),
  });
  return { lamps, events };
}

describe('a local object source', () => {
  it('delivers objects like an API server', () => {
    const { lamps, events } = setUp();

    lamps.put(lamp('a', 'red'));
    lamps.put(lamp('a', 'green'));
    lamps.put(lamp('a', 'green', 'another'));
    lamps.delete('hall/a');

    expect(events).toEqual(['add a', 'update red green', 'delete a', 'add another', 'delete another']);
  });

  it('delivers nothing for an equal object', () => {
    const { lamps, events } = setUp();

    lamps.put(lamp('a', 'red'));
    lamps.put(lamp('a', 'red'));
    lamps.delete('hall/b');

    expect(events).toEqual(['add a']);
  });

  it('finds objects by index, and delivers them to later subscribers', () => {
    const { lamps } = setUp();
    const byColour = { name: 'colour', valuesOf: ({ spec }: Lamp) => [spec.colour] };
    lamps.put(lamp('a', 'red'));
    lamps.addIndex(byColour.name, byColour.valuesOf);
    lamps.put(lamp('b', 'red'));
    const seen: string[] = [];

    lamps.addHandler({ onAdd: ({ metadata }) => seen.push(metadata.name ?? '') });

    expect(lamps.find(byColour, 'red').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(seen).toEqual(['a', 'b']);
  });

  it('continues when a handler fails', () => {
    const lamps = new LocalObjectSource<Lamp>(type);
    const seen: string[] = [];
    lamps.addHandler({
      onAdd: () => {
        throw new Error('no');
      },
    });
    lamps.addHandler({ onAdd: ({ metadata }) => seen.push(metadata.name ?? '') });

    lamps.put(lamp('a', 'red'));

    expect(seen).toEqual(['a']);
  });
});
