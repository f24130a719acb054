import type { Row } from './row.ts';

export const CLOUD_CREDENTIAL_ROWS: readonly Row[] = [
  {
    name: 'cloud and Secret',
    spec: { cloud: 'simulator', secretRef: { name: 'mine' } },
    has: { 'spec.reclaimPolicy': 'Retain' },
  },
  {
    name: 'a credential that is deleted with its last cluster',
    spec: { cloud: 'simulator', secretRef: { name: 'mine' }, reclaimPolicy: 'Delete' },
  },
  {
    name: 'a policy of volumes',
    spec: { cloud: 'simulator', secretRef: { name: 'mine' }, reclaimPolicy: 'Recycle' },
    refused: ['spec.reclaimPolicy: Unsupported value: "Recycle": supported values: "Retain", "Delete"'],
  },
  {
    name: 'no cloud',
    spec: { secretRef: { name: 'mine' } },
    refused: ['spec.cloud: Required value'],
  },
  {
    name: 'an empty cloud',
    spec: { cloud: '', secretRef: { name: 'mine' } },
    refused: ['spec.cloud: Invalid value: "": spec.cloud in body should be at least 1 chars long'],
  },
  {
    name: 'no Secret',
    spec: { cloud: 'simulator' },
    refused: ['spec.secretRef: Required value'],
  },
  {
    name: 'a Secret without a name',
    spec: { cloud: 'simulator', secretRef: {} },
    refused: ['spec.secretRef.name: Required value'],
  },
  {
    name: 'an empty name of a Secret',
    spec: { cloud: 'simulator', secretRef: { name: '' } },
    refused: ['spec.secretRef.name: Invalid value: "": spec.secretRef.name in body should be at least 1 chars long'],
  },
  {
    name: 'a Secret of another namespace',
    spec: { cloud: 'simulator', secretRef: { name: 'mine', namespace: 'other' } },
    refused: [
      'CloudCredential in version "v1alpha1" cannot be handled as a CloudCredential: strict decoding error: unknown field "spec.secretRef.namespace"',
    ],
  },
  {
    name: 'the secret itself',
    spec: { cloud: 'simulator', secretRef: { name: 'mine' }, password: 'hunter2' },
    refused: [
      'CloudCredential in version "v1alpha1" cannot be handled as a CloudCredential: strict decoding error: unknown field "spec.password"',
    ],
  },
  {
    name: 'another cloud',
    isUpdate: true,
    metadata: { name: 'own' },
    spec: { cloud: 'simulator-other' },
    refused: ['spec.cloud: Forbidden: cannot be changed after creation: it is "simulator"'],
  },
  {
    name: 'another Secret',
    isUpdate: true,
    metadata: { name: 'own' },
    spec: { secretRef: { name: 'renewed' } },
  },
  {
    name: 'a name with capital letters',
    metadata: { name: 'Mine' },
    spec: { cloud: 'simulator', secretRef: { name: 'mine' } },
    refused: [
      "metadata.name: Invalid value: \"Mine\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
];
