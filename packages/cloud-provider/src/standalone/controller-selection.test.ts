import { describe, expect, it } from 'vitest';
import { declarationsOf, selectedControllers } from './controller-selection.ts';

const DEFAULT_CONTROLLERS = ['cloud-node', 'cloud-node-lifecycle', 'service', 'route'];

describe('--controllers', () => {
  it.each([
    { parts: ['*'], chosen: DEFAULT_CONTROLLERS },
    { parts: ['*', 'volume'], chosen: [...DEFAULT_CONTROLLERS, 'volume'] },
    { parts: ['*', '-route'], chosen: ['cloud-node', 'cloud-node-lifecycle', 'service'] },
    { parts: ['-route', '*'], chosen: ['cloud-node', 'cloud-node-lifecycle', 'service'] },
    { parts: ['ingress', 'volume'], chosen: ['volume', 'ingress'] },
    { parts: ['cloud-node', 'route'], chosen: ['cloud-node', 'route'] },
    { parts: ['service', '-service', 'route'], chosen: ['service', 'route'] },
    { parts: ['-service', 'service', 'route'], chosen: ['route'] },
    {
      parts: [
        'cloud-node-controller',
        'cloud-node-lifecycle-controller',
        'service-lb-controller',
        'node-route-controller',
      ],
      chosen: DEFAULT_CONTROLLERS,
    },
  ])('selects $chosen for $parts', ({ parts, chosen }) => {
    expect([...selectedControllers(parts)]).toEqual(chosen);
  });

  it.each([
    {
      parts: ['services'],
      says: '"services" must be * or one of cloud-node, cloud-node-lifecycle, service, route, volume, ingress',
    },
    { parts: ['*', '-nodes'], says: '"nodes" must be' },
    { parts: ['-service'], says: '-service enables no controller' },
  ])('refuses $parts', ({ parts, says }) => {
    expect(() => selectedControllers(parts)).toThrow(says);
  });

  it('never starts controllers that create or approve nodes', () => {
    const all = declarationsOf(selectedControllers(['*', 'volume', 'ingress'])).map(({ name }) => name);

    expect(all).toEqual([
      'cloud-node',
      'cloud-node-lifecycle',
      'load-balancer',
      'cloud-route',
      'volumes',
      'volume-attachments',
      'ingress',
    ]);
  });
});
