import { describe, expect, it } from 'vitest';
import {
  defaultPoolName,
  MAX_CLUSTER_NAME_LENGTH,
  MAX_NODE_NAME_LENGTH,
  MAX_NODE_POOL_NAME_LENGTH,
  machineName,
  nameProblem,
} from './names.ts';

describe('nameProblem', () => {
  it.each(['a', 'demo', 'team-1', 'a'.repeat(24)])('accepts %s', (name) => {
    expect(nameProblem(name, MAX_CLUSTER_NAME_LENGTH)).toBeUndefined();
  });

  it.each([
    ['Demo', 'must consist of lowercase'],
    ['de_mo', 'must consist of lowercase'],
    ['de.mo', 'must consist of lowercase'],
    ['1demo', 'start with a letter'],
    ['demo-', 'end with a letter'],
    ['', 'start with a letter'],
    ['a'.repeat(25), 'at most 24'],
  ])('refuses %j: %s', (name, problem) => {
    expect(nameProblem(name, MAX_CLUSTER_NAME_LENGTH)).toContain(problem);
  });
});

it("accepts the longest cluster name as part of its first pool's default name", () => {
  expect(nameProblem(defaultPoolName('c'.repeat(MAX_CLUSTER_NAME_LENGTH)), MAX_NODE_POOL_NAME_LENGTH)).toBeUndefined();
});

describe('machineName', () => {
  it('fits a DNS label even for the longest names', () => {
    const name = machineName('c'.repeat(MAX_CLUSTER_NAME_LENGTH), 'p'.repeat(MAX_NODE_POOL_NAME_LENGTH), () => 0.999);
    expect(name).toHaveLength(MAX_NODE_NAME_LENGTH);
    expect(name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
  });

  it('derives the suffix from the given random numbers', () => {
    let next = 0;
    expect(machineName('demo', 'general', () => (next++ % 27) / 27)).toBe('demo-general-bcdfg');
  });

  it('contains the cluster name only once if the pool name starts with it', () => {
    expect(machineName('demo', 'demo-general', () => 0)).toBe('demo-general-bbbbb');
    expect(machineName('demo', 'demos', () => 0)).toBe('demo-demos-bbbbb');
  });
});
