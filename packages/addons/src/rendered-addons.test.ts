import { describe, expect, it } from 'vitest';
import { addonsOf } from './catalogue.ts';
import { AddonRenderer } from './rendered-addons.ts';
import { someFacts } from './testing/facts.ts';

describe('AddonRenderer', () => {
  it('renders the same facts once', () => {
    const renderer = new AddonRenderer();

    expect(renderer.render(someFacts())).toBe(renderer.render(someFacts()));
    expect(renderer.render(someFacts()).addons).toEqual(addonsOf(someFacts()));
  });

  it('renders again for other facts, with another revision', () => {
    const renderer = new AddonRenderer();
    const { revision } = renderer.render(someFacts());

    const other = renderer.render(someFacts({ podCIDR: '10.9.0.0/16' }));

    expect(other.revision).not.toBe(revision);
    expect(other.addons).toEqual(addonsOf(someFacts({ podCIDR: '10.9.0.0/16' })));
  });

  it('keeps 128, and evicts the least recently used', () => {
    const renderer = new AddonRenderer();
    const nth = (n: number) => renderer.render(someFacts({ nodeCount: n }));
    const first = nth(0);
    const second = nth(1);
    for (let n = 2; n < 128; n++) nth(n);
    expect(nth(0)).toBe(first);

    nth(128);

    expect(nth(0)).toBe(first);
    expect(nth(1)).not.toBe(second);
  });
});
