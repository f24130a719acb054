import type { Row } from './row.ts';

export const KUBERNETES_RELEASE_ROWS: readonly Row[] = [
  {
    name: 'a minor version and a patch',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    has: { 'spec.patches': [{ version: '1.39.0', withdrawn: false }] },
  },
  {
    name: 'nothing',
    metadata: { name: '1.39' },
    spec: {},
    refused: [
      'spec.minor: Required value',
      'spec.source: Required value',
      'spec.patches: Required value',
      'spec.components: Required value',
    ],
  },
  {
    name: 'a minor version that is exact',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39.0',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: ['spec.minor: Invalid value: "1.39.0": must be a minor version such as 1.34'],
  },
  {
    name: 'a minor version that is a number',
    metadata: { name: '1.39' },
    spec: {
      minor: 1.39,
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: ['spec.minor: Invalid value: "number": spec.minor in body must be of type string: "number"'],
  },
  {
    name: 'another minor version',
    isUpdate: true,
    metadata: { name: '1.36' },
    spec: { minor: '1.37' },
    refused: ['spec.minor: Forbidden: cannot be changed after creation: it is "1.36"'],
  },
  {
    name: 'a phase',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      phaseOverride: 'Preview',
    },
  },
  {
    name: 'a phase that is none',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      phaseOverride: 'Beta',
    },
    refused: [
      'spec.phaseOverride: Unsupported value: "Beta": supported values: "Preview", "Supported", "Deprecated", "EndOfLife"',
    ],
  },
  {
    name: 'dates',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      released: '2026-12-09',
      maintenanceMode: '2027-12-28',
      endOfLife: '2028-02-28',
    },
  },
  {
    name: 'a date in another order',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      released: '09.12.2026',
    },
    refused: ['spec.released: Invalid value: "09.12.2026": must be a date such as 2026-10-28'],
  },
  {
    name: 'a month as a date',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      maintenanceMode: '2027-12',
    },
    refused: ['spec.maintenanceMode: Invalid value: "2027-12": must be a date such as 2026-10-28'],
  },
  {
    name: 'a time as a date',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      endOfLife: '2028-02-28T00:00:00Z',
    },
    refused: ['spec.endOfLife: Invalid value: "2028-02-28T00:00:00Z": must be a date such as 2026-10-28'],
  },
  {
    name: 'no source',
    metadata: { name: '1.39' },
    spec: { minor: '1.39', patches: [{ version: '1.39.0' }], components: { containerd: '2.2.7', pause: '3.10.1' } },
    refused: ['spec.source: Required value'],
  },
  {
    name: 'no patches',
    metadata: { name: '1.39' },
    spec: { minor: '1.39', source: 'upstream', patches: [], components: { containerd: '2.2.7', pause: '3.10.1' } },
    refused: ['spec.patches: Invalid value: 0: spec.patches in body should have at least 1 items'],
    refusedByKubernetes: ['spec.patches: Invalid value: 0: spec.patches in body should have at least 1 items'],
  },
  {
    name: 'a patch without a number',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: ['spec.patches[0].version: Invalid value: "1.39": must be an exact version such as 1.34.2'],
  },
  {
    name: 'a patch twice',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }, { version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: ['spec.patches[1]: Duplicate value: {"version":"1.39.0"}'],
  },
  {
    name: 'a patch whose withdrawn flag is a word',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0', withdrawn: 'yes' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: [
      'spec.patches[0].withdrawn: Invalid value: "string": spec.patches[0].withdrawn in body must be of type boolean: "string"',
    ],
  },
  {
    name: 'a patch with an invalid release date',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0', released: 'some day' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
    refused: ['spec.patches[0].released: Invalid value: "some day": must be a date such as 2026-10-28'],
  },
  {
    name: 'a patch with its own components',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0', released: '2026-12-09', components: { coredns: '1.14.3' } }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
    },
  },
  {
    name: 'components that are numbers',
    metadata: { name: '1.39' },
    spec: { minor: '1.39', source: 'upstream', patches: [{ version: '1.39.0' }], components: { containerd: 2.2 } },
    refused: [
      'spec.components.containerd: Invalid value: "number": spec.components.containerd in body must be of type string: "number"',
    ],
  },
  {
    name: 'components of no known name',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0', components: { 'metric-server': '0.9.0' } }],
      components: { containerd: '2.2.7', pause: '3.10.1', 'core-dns': '1.14.2' },
    },
    warnings: [
      'spec.components.core-dns (1.14.2): ignored by this release: Fairway has no component of this name: did you mean "coredns"?',
      'spec.patches[1.39.0].components.metric-server (0.9.0): ignored by this release: Fairway has no component of this name: did you mean "metrics-server"?',
    ],
  },
  {
    name: 'no components',
    metadata: { name: '1.39' },
    spec: { minor: '1.39', source: 'upstream', patches: [{ version: '1.39.0' }] },
    refused: ['spec.components: Required value'],
  },
];
