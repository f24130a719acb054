import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/meta.ts';
import { HeldObjects } from './held-objects.ts';

interface Lamp extends KubeObject {
  readonly spec: { readonly colour: string };
}

const type = { group: 'test', version: 'v1', plural: 'lamps', kind: 'Lamp', namespaced: true } as const;
const lamp = (name: string, colour: string, uid = name): Lamp => ({
  metadata: { namespace: 'hall', name, uid },
  spec: { colour },
});

function followed() {
  const lamps = new HeldObjects<Lamp>(type);
  const events: string[] = [];
  lamps.addHandler({
    onAdd: ({ metadata }) => events.push(`add ${metadata.uid}`),
    onUpdate: (old, { spec }) => events.push(`update ${old.spec.colour} ${spec.colour}`),
    onDelete: ({ metadata }) => events.push(`delete ${metadata.uid}`),
  });
  return { lamps, events };
}

describe('held objects', () => {
  it('are delivered like those of an API server', () => {
    const { lamps, events } = followed();

    lamps.put(lamp('a', 'red'));
    lamps.put(lamp('a', 'green'));
    lamps.put(lamp('a', 'green', 'another'));
    lamps.delete('hall/a');

    expect(events).toEqual(['add a', 'update red green', 'delete a', 'add another', 'delete another']);
  });

  it('deliver nothing for an equal object', () => {
    const { lamps, events } = followed();

    lamps.put(lamp('a', 'red'));
    lamps.put(lamp('a', 'red'));
    lamps.delete('hall/b');

    expect(events).toEqual(['add a']);
  });

  it('are found by an index, and delivered to later subscribers', () => {
    const { lamps } = followed();
    const byColour = { name: 'colour', valuesOf: ({ spec }: Lamp) => [spec.colour] };
    lamps.put(lamp('a', 'red'));
    lamps.addIndex(byColour.name, byColour.valuesOf);
    lamps.put(lamp('b', 'red'));
    const seen: string[] = [];

    lamps.addHandler({ onAdd: ({ metadata }) => seen.push(metadata.name ?? '') });

    expect(lamps.find(byColour, 'red').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(seen).toEqual(['a', 'b']);
  });

  it('continue when a handler fails', () => {
    const lamps = new HeldObjects<Lamp>(type);
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
