import type { Row } from './row.ts';

export const CLUSTER_ROWS: readonly Row[] = [
  {
    name: 'a region that the cloud lacks',
    spec: { region: 'Gravelines' },
    refused: [
      'spec.region: Not found: "Gravelines": the cloud offers this project no such region; there is "RegionOne"',
    ],
  },
  {
    name: 'an empty region',
    spec: { region: '' },
    refused: ['spec.region: Invalid value: "": spec.region in body should be at least 1 chars long'],
  },
  {
    name: 'another region',
    isUpdate: true,
    metadata: { name: 'custom' },
    spec: { region: 'RegionTwo' },
    refused: ['spec.region: Forbidden: cannot be changed after creation: it is "RegionOne"'],
  },
  {
    name: 'a region that the plan does not list',
    spec: { plan: 'elsewhere', region: 'RegionOne' },
    refused: [
      'spec.region: Invalid value: "RegionOne": plan "elsewhere" allows the regions "RegionTwo": choose one of them, or another plan',
    ],
  },
  {
    name: 'updates without an interruption',
    spec: { updatePolicy: 'MinimalDowntime' },
  },
  {
    name: 'no updates',
    spec: { updatePolicy: 'NeverUpdate' },
  },
  {
    name: 'an update policy in lower case',
    spec: { updatePolicy: 'neverupdate' },
    refused: [
      'spec.updatePolicy: Unsupported value: "neverupdate": supported values: "AlwaysUpdate", "MinimalDowntime", "NeverUpdate"',
    ],
  },
  {
    name: 'a credential that does not exist',
    spec: { credentialName: 'missing' },
    refused: [
      'spec.credentialName: Not found: "missing": no CloudCredential with this name exists in the namespace, or its cloud is not configured',
    ],
  },
  {
    name: 'an empty name of a credential',
    spec: { credentialName: '' },
    refused: ['spec.credentialName: Invalid value: "": spec.credentialName in body should be at least 1 chars long'],
  },
  {
    name: 'an image by name',
    spec: { image: 'Ubuntu 24.04' },
  },
  {
    name: 'an image that the cloud lacks',
    spec: { image: 'Ubuntu 42.04' },
    refused: [
      'spec.image: Not found: "Ubuntu 42.04": the cloud offers this project no such image; did you mean "Ubuntu 22.04" or "Ubuntu 24.04"?',
    ],
  },
  {
    name: 'an empty image',
    spec: { image: '' },
    refused: ['spec.image: Invalid value: "": spec.image in body should be at least 1 chars long'],
  },
  {
    name: 'an image that the plan does not list',
    spec: { plan: 'listed', region: 'RegionOne', image: 'Debian 12' },
    refused: [
      'spec.image: Invalid value: "Debian 12": plan "listed" allows the images "Ubuntu *": choose one of them, or another plan',
    ],
  },
  {
    name: 'a field that does not exist',
    spec: { nodes: 3 },
    refused: [
      'Cluster in version "v1alpha1" cannot be handled as a Cluster: strict decoding error: unknown field "spec.nodes"',
    ],
  },
  {
    name: 'a field in the wrong place',
    spec: { podCIDR: '10.2.0.0/16', gateway: { mode: 'None' } },
    refused: [
      'Cluster in version "v1alpha1" cannot be handled as a Cluster: strict decoding error: unknown field "spec.gateway"',
    ],
  },
  {
    name: 'a misspelt field',
    spec: { kubeproxy: { mode: 'ipvs' } },
    refused: [
      'Cluster in version "v1alpha1" cannot be handled as a Cluster: strict decoding error: unknown field "spec.kubeproxy"',
    ],
  },
  {
    name: 'a snapshot that is asked for',
    spec: { etcd: { snapshotRequestedAt: '2026-11-21T16:30:00Z' } },
  },
  {
    name: 'a time in another zone',
    spec: { etcd: { snapshotRequestedAt: '2026-11-21T16:30:00+01:00' } },
    refused: [
      'spec.etcd.snapshotRequestedAt: Invalid value: "2026-11-21T16:30:00+01:00": must be a time in UTC such as 2026-11-21T16:30:00Z',
    ],
  },
  {
    name: 'a time without its date',
    spec: { etcd: { snapshotRequestedAt: '16:30' } },
    refused: [
      'spec.etcd.snapshotRequestedAt: Invalid value: "16:30": must be a time in UTC such as 2026-11-21T16:30:00Z',
    ],
  },
  {
    name: 'a snapshot to go back to',
    spec: { etcd: { restore: { snapshot: '20261121-163000-000', requestedAt: '2026-11-21T16:30:00Z' } } },
  },
  {
    name: 'a snapshot by a path',
    spec: { etcd: { restore: { snapshot: '../../etc/passwd' } } },
    refused: [
      'spec.etcd.restore.snapshot: Invalid value: "../../etc/passwd": must be the name of a snapshot such as 20261121-163000-000: status.etcd.snapshots lists them',
    ],
  },
  {
    name: 'a restore of nothing',
    spec: { etcd: { restore: {} } },
    refused: ['spec.etcd.restore.snapshot: Required value'],
  },
  {
    name: 'a restore at no time',
    spec: { etcd: { restore: { snapshot: '20261121-163000-000', requestedAt: 'now' } } },
    refused: [
      'spec.etcd.restore.requestedAt: Invalid value: "now": must be a time in UTC such as 2026-11-21T16:30:00Z',
    ],
  },
  {
    name: 'a name with capital letters',
    metadata: { name: 'Demo' },
    spec: {},
    refused: [
      'metadata.name: Invalid value: "Demo": must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
    refusedByCrd: [
      "metadata.name: Invalid value: \"Demo\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'metadata.name: Invalid value: must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
  },
  {
    name: 'a name that begins with a digit',
    metadata: { name: '1st' },
    spec: {},
    refused: [
      'metadata.name: Invalid value: "1st": must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
    refusedByCrd: [
      'metadata.name: Invalid value: must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
  },
  {
    name: 'a name of 25 characters',
    metadata: { name: 'abcdefghijklmnopqrstuvwxy' },
    spec: {},
    refused: [
      'metadata.name: Invalid value: "abcdefghijklmnopqrstuvwxy": must be at most 24 characters, so that the names of servers and nodes are at most 63',
    ],
    refusedByCrd: [
      'metadata.name: Invalid value: must be at most 24 characters, so that the names of servers and nodes are at most 63',
    ],
  },
  {
    name: 'a name of 24 characters',
    metadata: { name: 'abcdefghijklmnopqrstuvwx' },
    spec: {},
  },
  {
    name: 'a name with a dot',
    metadata: { name: 'my.cluster' },
    spec: {},
    refused: [
      'metadata.name: Invalid value: "my.cluster": must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
    refusedByCrd: [
      'metadata.name: Invalid value: must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
  },
  {
    name: 'mirrors and a proxy for the nodes',
    spec: {
      registryMirrors: [{ registry: 'docker.io', mirrors: [{ url: 'https://m.example.com:5000/v2/cache' }] }],
      proxy: { httpsProxy: 'http://[fd00::1]:3128', noProxy: ['.example.com', '10.0.0.0/8'] },
    },
  },
  {
    name: 'a proxy with a password',
    spec: { proxy: { httpProxy: 'http://me:secret@p.example.com:3128' } },
    refused: [
      'spec.proxy.httpProxy: Invalid value: "http://me:secret@p.example.com:3128": must be a URL such as https://mirror.example.com:5000 without user and password, which the user data of servers would expose; let the mirror or proxy identify nodes by their addresses',
    ],
  },
  {
    name: 'a proxy that is none',
    spec: { proxy: { noProxy: ['.example.com'] } },
    refused: [
      'spec.proxy: Invalid value: {"noProxy":[".example.com"]}: has no proxy: set httpProxy, httpsProxy or both, or remove it',
    ],
    refusedByCrd: ['spec.proxy: Invalid value: has no proxy: set httpProxy, httpsProxy or both, or remove it'],
  },
  {
    name: 'a mirror URL with a line break, and an invalid registry name',
    spec: {
      registryMirrors: [
        { registry: 'docker.io', mirrors: [{ url: 'https://m.example.com"]\n[host."https://evil' }] },
        { registry: 'quay.io/x', mirrors: [{ url: 'https://m.example.com', certificateAuthority: 'x' }] },
      ],
    },
    refused: [
      'spec.registryMirrors[0].mirrors[0].url: Invalid value: "https://m.example.com\\"]\\n[host.\\"https://evil": must be a URL such as https://mirror.example.com:5000 without user and password, which the user data of servers would expose; let the mirror or proxy identify nodes by their addresses',
      'spec.registryMirrors[1].registry: Invalid value: "quay.io/x": must be a registry as in image names, such as docker.io or registry.example.com:5000',
    ],
  },
  {
    name: 'an invalid certificate authority of a mirror',
    spec: {
      registryMirrors: [
        { registry: 'quay.io', mirrors: [{ url: 'https://m.example.com', certificateAuthority: 'nothing' }] },
      ],
    },
    refused: [
      'spec.registryMirrors[0].mirrors[0].certificateAuthority: Invalid value: "nothing…": contains no certificate: it must be PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    ],
  },
  {
    name: 'a list instead of a spec',
    spec: [],
    refused: ['spec: Invalid value: "array": spec in body must be of type object: "array"'],
  },
];
