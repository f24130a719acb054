import { describe, expect, it } from 'vitest';
import { chosenControllers, declarationsOf } from './chosen-controllers.ts';

const BY_DEFAULT = ['cloud-node', 'cloud-node-lifecycle', 'service', 'route'];

describe('--controllers', () => {
  it.each([
    { parts: ['*'], chosen: BY_DEFAULT },
    { parts: ['*', 'volume'], chosen: [...BY_DEFAULT, 'volume'] },
    { parts: ['*', '-route'], chosen: ['cloud-node', 'cloud-node-lifecycle', 'service'] },
    { parts: ['-route', '*'], chosen: ['cloud-node', 'cloud-node-lifecycle', 'service'] },
    { parts: ['ingress', 'volume'], chosen: ['volume', 'ingress'] },
    { parts: ['service', '-service', 'route'], chosen: ['route'] },
    {
      parts: [
        'cloud-node-controller',
        'cloud-node-lifecycle-controller',
        'service-lb-controller',
        'node-route-controller',
      ],
      chosen: BY_DEFAULT,
    },
  ])('$parts are $chosen', ({ parts, chosen }) => {
    expect([...chosenControllers(parts)]).toEqual(chosen);
  });

  it.each([
    {
      parts: ['services'],
      says: '"services" is none of *, cloud-node, cloud-node-lifecycle, service, route, volume, ingress',
    },
    { parts: ['*', '-nodes'], says: '"nodes" is none of' },
    { parts: ['-service'], says: '-service leaves no controller' },
  ])('$parts is refused', ({ parts, says }) => {
    expect(() => chosenControllers(parts)).toThrow(says);
  });

  it('never starts what makes or approves nodes', () => {
    const all = declarationsOf(chosenControllers(['*', 'volume', 'ingress'])).map(({ name }) => name);

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
