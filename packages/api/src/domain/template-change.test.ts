import { describe, expect, it } from 'vitest';
import { type DesiredMachine, isOutdated, machineChange } from './template-change.ts';

const machine: DesiredMachine & { zone: string } = {
  flavor: 'b3-8',
  image: 'image-1',
  version: '1.35.8',
  rootVolume: { sizeGiB: 50, type: 'fast' },
  zones: [],
  zone: 'a',
  floatingIP: false,
};

describe('machineChange', () => {
  it.each([
    { change: {}, expected: 'none', outdated: false },
    { change: { rootVolume: { type: 'fast', sizeGiB: 50 } }, expected: 'none', outdated: false },
    { change: { floatingIP: true }, expected: 'inPlace', outdated: false },
    { change: { version: '1.36.4' }, expected: 'reinstall', outdated: true },
    { change: { image: 'image-2', floatingIP: true }, expected: 'reinstall', outdated: true },
    { change: { rootVolume: undefined }, expected: 'replace', outdated: true },
    { change: { rootVolume: { sizeGiB: 60, type: 'fast' }, version: '1.36.4' }, expected: 'replace', outdated: true },
    { change: { flavor: 'b3-16' }, expected: 'replace', outdated: true },
    { change: { flavor: 'f-8', flavorIdentifiers: ['f-8', 'b3-8'] }, expected: 'none', outdated: false },
    { change: { flavor: 'f-16', flavorIdentifiers: ['f-16', 'b3-16'] }, expected: 'replace', outdated: true },
    { change: { networks: [] }, expected: 'none', outdated: false },
    { change: { networks: [{ networkID: 'n' }] }, expected: 'replace', outdated: true },
    { change: { zones: ['b', 'a'] }, expected: 'none', outdated: false },
    { change: { zones: ['b'] }, expected: 'replace', outdated: true },
  ])('returns $expected for $change', ({ change, expected, outdated }) => {
    const desired = { ...machine, ...change };
    expect(machineChange(desired, machine)).toBe(expected);
    expect(isOutdated(desired, machine)).toBe(outdated);
  });
});
