import type { Row } from './row.ts';

export const KUBERNETES_FORCED_UPGRADE_ROWS: readonly Row[] = [
  {
    name: 'forced upgrades, by default',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: {},
    },
    has: { 'spec.forcedUpgrade': { gracePeriod: '336h', notice: '336h', exempt: [] } },
  },
  {
    name: 'forced upgrades with exceptions',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: {
        gracePeriod: '0h',
        notice: '24h',
        exempt: [{ namespace: 'team-a' }, { namespace: 'team-b', name: 'old' }],
      },
    },
  },
  {
    name: 'forced upgrades after years',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: { gracePeriod: '8761h' },
    },
    refused: ['spec.forcedUpgrade.gracePeriod: Invalid value: "8761h": must be at most 8760h'],
    refusedByCrd: ['spec.forcedUpgrade.gracePeriod: Invalid value: must be at most 8760h'],
  },
  {
    name: 'forced upgrades at once',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: { notice: '1h' },
    },
    refused: ['spec.forcedUpgrade.notice: Invalid value: "1h": must be from 24h to 2160h'],
    refusedByCrd: ['spec.forcedUpgrade.notice: Invalid value: must be from 24h to 2160h'],
  },
  {
    name: 'forced upgrades after some time',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: { gracePeriod: 'two weeks' },
    },
    refused: [
      'spec.forcedUpgrade.gracePeriod: Invalid value: "two weeks": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'forced upgrades with an invalid exception',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      forcedUpgrade: { exempt: [{ name: 'old' }] },
    },
    refused: ['spec.forcedUpgrade.exempt[0].namespace: Required value'],
  },
];
