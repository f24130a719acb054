import { describe, expect, test } from 'vitest';
import type { KubeletSettings } from '../kinds/kubelet-settings.ts';
import { aPlan } from '../testing/objects.ts';
import { kubeletErrors, maxPodsOf } from './kubelet-settings.ts';

const SIZE = { vcpus: 2, memoryMiB: 8192, diskGiB: 50 };

const INVALID_SETTINGS: readonly (readonly [reason: string, settings: KubeletSettings, field: string])[] = [
  ['an unknown resource', { kubeReserved: { gpu: '1' } }, 'kubeReserved[gpu]'],
  ['a negative amount', { systemReserved: { memory: '-1' } }, 'systemReserved[memory]'],
  ['memory in millibytes', { systemReserved: { memory: '500m' } }, 'systemReserved[memory]'],
  ['CPU in bytes', { kubeReserved: { cpu: '1Gi' } }, 'kubeReserved[cpu]'],
  ['an unknown signal', { evictionHard: { 'memory.used': '1Gi' } }, 'evictionHard[memory.used]'],
  ['a share of 100 percent', { evictionHard: { 'nodefs.available': '100%' } }, 'evictionHard[nodefs.available]'],
  ['a threshold that never triggers', { evictionHard: { 'memory.available': '0' } }, 'evictionHard[memory.available]'],
  [
    'a soft threshold without a grace period',
    { evictionSoft: { 'memory.available': '1Gi' } },
    'evictionSoftGracePeriod[memory.available]',
  ],
  [
    'a grace period without a threshold',
    { evictionSoftGracePeriod: { 'memory.available': '90s' } },
    'evictionSoftGracePeriod[memory.available]',
  ],
  [
    'a soft threshold below the hard default',
    { evictionSoft: { 'memory.available': '50Mi' }, evictionSoftGracePeriod: { 'memory.available': '90s' } },
    'evictionSoft[memory.available]',
  ],
  [
    'a soft percentage equal to the hard one',
    {
      evictionHard: { 'nodefs.available': '20%' },
      evictionSoft: { 'nodefs.available': '20%' },
      evictionSoftGracePeriod: { 'nodefs.available': '90s' },
    },
    'evictionSoft[nodefs.available]',
  ],
  [
    'a maximum grace period for pods without soft thresholds',
    { evictionMaxPodGracePeriod: 60 },
    'evictionMaxPodGracePeriod',
  ],
  ['a high threshold below the low default', { imageGCHighThresholdPercent: 80 }, 'imageGCHighThresholdPercent'],
  ['a low threshold above the high default', { imageGCLowThresholdPercent: 90 }, 'imageGCLowThresholdPercent'],
  ['log files that are too small', { containerLogMaxSize: '10Ki' }, 'containerLogMaxSize'],
  ['log files that are too large', { containerLogMaxSize: '2Gi' }, 'containerLogMaxSize'],
  ['parallel image pulls while pulls are serialized', { maxParallelImagePulls: 2 }, 'maxParallelImagePulls'],
  ['a shutdown period shorter than the part for critical pods', { shutdownGracePeriod: '5s' }, 'shutdownGracePeriod'],
  [
    'a part for critical pods longer than the shutdown period',
    { shutdownGracePeriodCriticalPods: '90s' },
    'shutdownGracePeriodCriticalPods',
  ],
  [
    'the static CPU policy without reserved CPU',
    { cpuManagerPolicy: 'static', kubeReserved: { cpu: '0' } },
    'cpuManagerPolicy',
  ],
  [
    'a sysctl that affects the whole node',
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
    ['parallel image pulls', { serializeImagePulls: false, maxParallelImagePulls: 4 }],
    ['both image GC thresholds', { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 50 }],
    [
      'a soft threshold in another unit',
      { evictionSoft: { 'nodefs.available': '10Gi' }, evictionSoftGracePeriod: { 'nodefs.available': '2m' } },
    ],
    ['the static CPU policy', { cpuManagerPolicy: 'static', systemReserved: { cpu: '0' } }],
    ['a shutdown without a grace period', { shutdownGracePeriod: '0s', shutdownGracePeriodCriticalPods: '0s' }],
  ])('accepts %s', (_, settings) => {
    expect(kubeletErrors(settings, SIZE)).toEqual([]);
  });

  test.each<readonly [string, KubeletSettings, string]>([
    ['memory', { systemReserved: { memory: '8Gi' } }, 'memory'],
    ['memory by eviction', { evictionHard: { 'memory.available': '99%' } }, 'memory'],
    ['CPU', { kubeReserved: { cpu: '2' } }, 'CPU'],
    ['the disk', { systemReserved: { 'ephemeral-storage': '50G' } }, 'disk'],
  ])('refuses settings that reserve all of %s', (_, settings, what) => {
    expect(kubeletErrors(settings, SIZE)).toEqual([
      expect.objectContaining({ field: 'spec.kubelet', detail: expect.stringContaining(`reserve all ${what}`) }),
    ]);
  });

  test("caps the pods per node at the plan's limit", () => {
    const plan = aPlan({ maxPodsPerNode: 50 });

    expect([maxPodsOf(undefined, plan), maxPodsOf({ maxPods: 110 }, plan), maxPodsOf({ maxPods: 20 }, plan)]).toEqual([
      50, 50, 20,
    ]);
  });
});
