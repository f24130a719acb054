import { describe, expect, it } from 'vitest';
import { kubeReserved, reservedResources, sizeProblem } from './reserved-resources.ts';

describe('reservedResources', () => {
  it.each([
    { flavor: 'b3-16', vcpus: 4, diskGiB: 100, cpuMillis: 170, diskGB: 30, reason: 'the example of OVHcloud' },
    { flavor: 'b3-8', vcpus: 2, diskGiB: 50, cpuMillis: 160, diskGB: 22, reason: '16.99 + 5' },
    {
      flavor: 'a flavor with one core',
      vcpus: 1,
      diskGiB: 20,
      cpuMillis: 155,
      diskGB: 10,
      reason: 'at most half of the disk',
    },
    { flavor: 'b3-256', vcpus: 64, diskGiB: 400, cpuMillis: 470, diskGB: 67, reason: '26.02 + 40' },
    {
      flavor: 'a flavor without a disk',
      vcpus: 1,
      diskGiB: 0,
      cpuMillis: 155,
      diskGB: 0,
      reason: 'no resources to reserve from',
    },
    { flavor: 'a flavor with a tiny disk', vcpus: 1, diskGiB: 1, cpuMillis: 155, diskGB: 1, reason: '0.1, rounded up' },
  ])(
    'reserves $cpuMillis m of CPU and $diskGB G of disk for $flavor ($reason)',
    ({ vcpus, diskGiB, cpuMillis, diskGB }) => {
      const reserved = reservedResources({ vcpus, memoryMiB: 16_384, diskGiB });
      expect(reserved).toEqual({ cpuMillis, memoryMB: 1590, diskGB });
    },
  );

  it('formats the resources as quantities', () => {
    const size = { vcpus: 4, memoryMiB: 16_384, diskGiB: 100 };
    expect(kubeReserved(size)).toEqual({ cpu: '170m', memory: '1590M', 'ephemeral-storage': '30G' });
  });
});

describe('sizeProblem', () => {
  it('refuses machines that have no resources left for pods', () => {
    expect(sizeProblem({ vcpus: 1, memoryMiB: 1024, diskGiB: 10 })).toContain('1024 MiB');
    expect(sizeProblem({ vcpus: 1, memoryMiB: 2048, diskGiB: 10 })).toBeUndefined();
  });
});
