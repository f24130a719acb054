import { describe, expect, it } from 'vitest';
import { addonsOf } from './catalogue.ts';
import { AddonRenderer } from './rendered-addons.ts';
import { someFacts } from './testing/facts.ts';

describe('AddonRenderer', () => {
  it('renders add-ons for equal facts only once', () => {
    const renderer = new AddonRenderer();

    expect(renderer.render(someFacts())).toBe(renderer.render(someFacts()));
    expect(renderer.render(someFacts()).addons).toEqual(addonsOf(someFacts()));
  });

  it('renders add-ons again for different facts, with a different revision', () => {
    const renderer = new AddonRenderer();
    const { revision } = renderer.render(someFacts());

    const other = renderer.render(someFacts({ podCIDR: '10.9.0.0/16' }));

    expect(other.revision).not.toBe(revision);
    expect(other.addons).toEqual(addonsOf(someFacts({ podCIDR: '10.9.0.0/16' })));
  });

  it('keeps 128 entries, and evicts the least recently used', () => {
    const renderer = new AddonRenderer();
    const renderNth = (n: number) => renderer.render(someFacts({ nodeCount: n }));
    const first = renderNth(0);
    const second = renderNth(1);
    for (let n = 2; n < 128; n++) renderNth(n);
    expect(renderNth(0)).toBe(first);

    renderNth(128);

    expect(renderNth(0)).toBe(first);
    expect(renderNth(1)).not.toBe(second);
  });
});
