import { describe, expect, test } from 'vitest';
import type { KubeletSettings } from '../kinds/kubelet-settings.ts';
import { aPlan } from '../testing/objects.ts';
import { kubeletErrors, maxPodsOf } from './kubelet-settings.ts';

const SIZE = { vcpus: 2, memoryMiB: 8192, diskGiB: 50 };

const INVALID_SETTINGS: readonly (readonly [reason: string, settings: KubeletSettings, field: string])[] = [
  ['an unknown resource', { kubeReserved: { gpu: '1' } }, 'kubeReserved[gpu]'],
  ['no amount', { systemReserved: { memory: '-1' } }, 'systemReserved[memory]'],
  ['memory in thousandths', { systemReserved: { memory: '500m' } }, 'systemReserved[memory]'],
  ['CPU in bytes', { kubeReserved: { cpu: '1Gi' } }, 'kubeReserved[cpu]'],
  ['an unknown signal', { evictionHard: { 'memory.used': '1Gi' } }, 'evictionHard[memory.used]'],
  ['a share beyond all', { evictionHard: { 'nodefs.available': '100%' } }, 'evictionHard[nodefs.available]'],
  ['a threshold that never acts', { evictionHard: { 'memory.available': '0' } }, 'evictionHard[memory.available]'],
  [
    'a soft threshold without a period',
    { evictionSoft: { 'memory.available': '1Gi' } },
    'evictionSoftGracePeriod[memory.available]',
  ],
  [
    'a period without a threshold',
    { evictionSoftGracePeriod: { 'memory.available': '90s' } },
    'evictionSoftGracePeriod[memory.available]',
  ],
  [
    'a soft threshold below the hard default',
    { evictionSoft: { 'memory.available': '50Mi' }, evictionSoftGracePeriod: { 'memory.available': '90s' } },
    'evictionSoft[memory.available]',
  ],
  [
    'a soft share as the hard one',
    {
      evictionHard: { 'nodefs.available': '20%' },
      evictionSoft: { 'nodefs.available': '20%' },
      evictionSoftGracePeriod: { 'nodefs.available': '90s' },
    },
    'evictionSoft[nodefs.available]',
  ],
  ['a grace period without soft thresholds', { evictionMaxPodGracePeriod: 60 }, 'evictionMaxPodGracePeriod'],
  ['a high threshold below the low default', { imageGCHighThresholdPercent: 80 }, 'imageGCHighThresholdPercent'],
  ['a low threshold above the high default', { imageGCLowThresholdPercent: 90 }, 'imageGCLowThresholdPercent'],
  ['logs too small', { containerLogMaxSize: '10Ki' }, 'containerLogMaxSize'],
  ['logs too large', { containerLogMaxSize: '2Gi' }, 'containerLogMaxSize'],
  ['parallel pulls one after another', { maxParallelImagePulls: 2 }, 'maxParallelImagePulls'],
  ['a shutdown shorter than its part', { shutdownGracePeriod: '5s' }, 'shutdownGracePeriod'],
  ['a part longer than the shutdown', { shutdownGracePeriodCriticalPods: '90s' }, 'shutdownGracePeriodCriticalPods'],
  [
    'static CPUs without any that is reserved',
    { cpuManagerPolicy: 'static', kubeReserved: { cpu: '0' } },
    'cpuManagerPolicy',
  ],
  [
    'a sysctl of the whole node',
    { allowedUnsafeSysctls: ['net.core.somaxconn', 'vm.swappiness'] },
    'allowedUnsafeSysctls[1]',
  ],
];

describe('kubelet settings', () => {
  test.each(INVALID_SETTINGS)('refuses %s', (_, settings, field) => {
    expect(kubeletErrors(settings, undefined).map((error) => error.field)).toEqual([`spec.kubelet.${field}`]);
  });

  test.each<readonly [string, KubeletSettings]>([
    ['nothing', {}],
    ['parallel pulls', { serializeImagePulls: false, maxParallelImagePulls: 4 }],
    ['both thresholds of images', { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 50 }],
    [
      'a soft threshold in another unit',
      { evictionSoft: { 'nodefs.available': '10Gi' }, evictionSoftGracePeriod: { 'nodefs.available': '2m' } },
    ],
    ['static CPUs', { cpuManagerPolicy: 'static', systemReserved: { cpu: '0' } }],
    ['no time for a shutdown', { shutdownGracePeriod: '0s', shutdownGracePeriodCriticalPods: '0s' }],
  ])('accepts %s', (_, settings) => {
    expect(kubeletErrors(settings, SIZE)).toEqual([]);
  });

  test.each<readonly [string, KubeletSettings, string]>([
    ['memory', { systemReserved: { memory: '8Gi' } }, 'memory'],
    ['memory by eviction', { evictionHard: { 'memory.available': '99%' } }, 'memory'],
    ['CPU', { kubeReserved: { cpu: '2' } }, 'CPU'],
    ['the disk', { systemReserved: { 'ephemeral-storage': '50G' } }, 'disk'],
  ])('refuses reservations of all %s', (_, settings, what) => {
    expect(kubeletErrors(settings, SIZE)).toEqual([
      expect.objectContaining({ field: 'spec.kubelet', detail: expect.stringContaining(`reserve all ${what}`) }),
    ]);
  });

  test('caps the pods of a node at the limit of the plan', () => {
    const plan = aPlan({ maxPodsPerNode: 50 });

    expect([maxPodsOf(undefined, plan), maxPodsOf({ maxPods: 110 }, plan), maxPodsOf({ maxPods: 20 }, plan)]).toEqual([
      50, 50, 20,
    ]);
  });
});
