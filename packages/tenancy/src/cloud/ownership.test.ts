import { describe, expect, it } from 'vitest';
import { clusterOfDescription, machineOfDescription, ownerDescription } from './ownership.ts';

describe('parses the machine that owns a resource from its description', () => {
  it.each([
    { role: 'port-m1' as const, machineUid: 'm1' },
    { role: 'port-m1/n1' as const, machineUid: 'm1' },
    { role: 'floating-ip-m1' as const, machineUid: 'm1' },
  ])('$role', ({ role, machineUid }) => {
    const description = ownerDescription('c1', role);
    expect(machineOfDescription(description)).toEqual({ clusterUid: 'c1', machineUid });
    expect(clusterOfDescription(description)).toBe('c1');
  });
});
