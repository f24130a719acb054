import type { Machine } from '@fairway/api/kinds/machine';
import { describe, expect, test } from 'vitest';
import { planPool } from './pool-plan.ts';

const desired = { flavor: 'b3-8', image: 'img', version: '1.34.2', rootVolume: undefined, floatingIP: false };

interface Given {
  zone?: string;
  phase?: 'Installing' | 'Ready' | 'NotReady';
  version?: string;
  createdAt?: number;
  deleting?: boolean;
  marked?: boolean;
  floatingIP?: boolean;
}

function machine(name: string, given: Given = {}): Machine {
  const { zone, phase = 'Ready', version = desired.version, createdAt = 0, deleting = false, marked = false } = given;
  const { floatingIP = false } = given;
  return {
    metadata: {
      name,
      creationTimestamp: new Date(createdAt * 1000).toISOString(),
      ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(marked && { annotations: { 'fairway.dev/delete-first': '' } }),
    },
    spec: {
      ...desired,
      version,
      floatingIP,
      clusterName: 'demo',
      nodePoolName: 'general',
      ...(zone !== undefined && { zone }),
    },
    status: { phase },
  };
}

describe('a pool that is too small', () => {
  test('gets all missing machines at once, spread over its zones', () => {
    const { create } = planPool({ replicas: 5, zones: ['a', 'b', 'c'], desired }, [machine('m1', { zone: 'a' })]);

    expect(create.map(({ zone }) => zone)).toEqual(['b', 'c', 'a', 'b']);
  });

  test('gets another machine for one that is being deleted', () => {
    const machines = [machine('m1'), machine('m2', { deleting: true })];

    expect(planPool({ replicas: 2, zones: [], desired }, machines).create).toHaveLength(1);
  });
});

describe('a pool that is too large', () => {
  test.each([
    {
      reason: 'unhealthy machines go first',
      machines: [machine('new', { createdAt: 9 }), machine('ill', { phase: 'NotReady' })],
      removed: ['ill'],
    },
    {
      reason: 'then outdated ones',
      machines: [machine('new', { createdAt: 9 }), machine('outdated', { version: '1.33.1' })],
      removed: ['outdated'],
    },
    {
      reason: 'then the most recent',
      machines: [machine('old', { createdAt: 1 }), machine('new', { createdAt: 9 })],
      removed: ['new'],
    },
    {
      reason: 'a marked one before all of them',
      machines: [machine('marked', { marked: true }), machine('ill', { phase: 'NotReady' })],
      removed: ['marked'],
    },
    {
      reason: 'a machine that is being deleted already was the one to go',
      machines: [machine('staying'), machine('going', { deleting: true })],
      removed: [],
    },
  ])('$reason', ({ machines, removed }) => {
    const { remove } = planPool({ replicas: 1, zones: [], desired }, machines);

    expect(remove.map(({ metadata }) => metadata.name)).toEqual(removed);
  });

  test('of the right size is left alone', () => {
    expect(planPool({ replicas: 1, zones: [], desired }, [machine('m1')])).toEqual({
      create: [],
      remove: [],
      changeInPlace: [],
    });
  });
});

test('a floating IP is given to and taken from machines that stay, not those to be replaced', () => {
  const machines = [
    machine('as-wanted'),
    machine('with', { floatingIP: true }),
    machine('outdated', { floatingIP: true, version: '1.33.1' }),
    machine('going', { floatingIP: true, deleting: true }),
    machine('superfluous', { floatingIP: true, marked: true }),
  ];

  const { changeInPlace } = planPool({ replicas: 3, zones: [], desired }, machines);

  expect(changeInPlace.map(({ metadata }) => metadata.name)).toEqual(['with']);
});
