import type { ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { aBinding, aPolicy } from '../testing/policies.ts';
import {
  admissionConfiguration,
  isPolicyComplaint,
  loadedPolicyHash,
  policyFile,
  policyHash,
  versionProblem,
} from './policy-file.ts';

function textOf(objects: readonly KubeObject[]): string {
  const result = policyFile(objects);
  if ('problem' in result) throw new Error(result.problem);
  return result.text;
}

describe('the policy file', () => {
  test('contains policies and bindings under names that are reserved for files', () => {
    const [policies, bindings] = textOf([aPolicy(), aBinding()])
      .split('---\n')
      .map((document) => JSON.parse(document));

    expect(policies).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyList',
      items: [{ ...aPolicy(), metadata: { name: 'storage.fairway.dev.static.k8s.io' } }],
    });
    expect(bindings).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBindingList',
      items: [
        {
          ...aBinding(),
          metadata: { name: 'storage.fairway.dev.static.k8s.io' },
          spec: { ...aBinding().spec, policyName: 'storage.fairway.dev.static.k8s.io' },
        },
      ],
    });
  });

  test('has two empty lists if the plan limits nothing', () => {
    const documents = textOf([]).split('---\n');

    expect(documents.map((document) => JSON.parse(document).items)).toEqual([[], []]);
  });

  test('separates documents where Fairway does, whatever texts contain', () => {
    const text = textOf([
      aPolicy({ validations: [{ expression: "'\n---\n' != ''", message: '--- use RWO' }] }),
      aBinding(),
    ]);

    expect(text.split('\n').filter((line) => line.startsWith('---'))).toEqual(['---']);
  });

  const validations = (message: string): ValidatingAdmissionPolicy['spec'] => ({
    validations: [{ expression: 'true', message }],
  });
  test.each<{ objects: KubeObject[]; problem: string }>([
    {
      objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }],
      problem: "Secret a of v1 can't be read from a file",
    },
    {
      objects: [aPolicy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }), aBinding()],
      problem: 'policy storage.fairway.dev.static.k8s.io: paramKind is not allowed in files',
    },
    {
      objects: [aPolicy({ validations: [] }), aBinding()],
      problem: 'policy storage.fairway.dev.static.k8s.io has no validations',
    },
    {
      objects: [aPolicy(validations('use\nRWO')), aBinding()],
      problem: 'policy storage.fairway.dev.static.k8s.io: validations[0].message has several lines',
    },
    {
      objects: [aPolicy(), aBinding({ paramRef: { name: 'a' } })],
      problem: 'binding storage.fairway.dev.static.k8s.io: paramRef is not allowed in files',
    },
    {
      objects: [aBinding()],
      problem: 'binding storage.fairway.dev.static.k8s.io: policy storage.fairway.dev.static.k8s.io is missing',
    },
    {
      objects: [aPolicy(), aPolicy(), aBinding()],
      problem: 'the name storage.fairway.dev.static.k8s.io is used twice',
    },
    {
      objects: [{ ...aPolicy(), metadata: { name: 'Storage' } }],
      problem: 'the name Storage.static.k8s.io is invalid',
    },
    {
      objects: [{ ...aPolicy(), metadata: { name: `a.${'b'.repeat(63)}.${'c.'.repeat(90)}d` } }],
      problem: `the name a.${'b'.repeat(63)}.${'c.'.repeat(90)}d.static.k8s.io is invalid`,
    },
  ])('is not written if $problem', ({ objects, problem }) => {
    expect(policyFile(objects)).toEqual({ problem });
  });
});

test.each([
  { version: '1.35.9', problem: 'Kubernetes 1.35.9 does not read policies from files: upgrade the cluster to 1.36' },
  { version: '1.36.0', problem: undefined },
  { version: '1.40.1', problem: undefined },
])('with Kubernetes $version: $problem', ({ version, problem }) => {
  expect(versionProblem(version)).toBe(problem);
});

test('the API server reads the folder through its working directory, as an absolute path', () => {
  expect(JSON.stringify(admissionConfiguration())).toContain('"staticManifestsDir":"/proc/self/cwd/limit-policies"');
});

describe('the metrics of an API server', () => {
  const METRIC = 'apiserver_manifest_admission_config_controller_last_config_info';
  const server = `sha256:${'1'.repeat(64)}`;
  const loaded = `sha256:${'2'.repeat(64)}`;
  const line = (plugin: string, hash: string) =>
    `${METRIC}{apiserver_id_hash="${server}",hash="${hash}",plugin="${plugin}"} 1`;

  test.each([
    { metrics: ['up 1', line('ValidatingAdmissionPolicy', loaded)], hash: loaded, reason: 'the file is in effect' },
    { metrics: [line('MutatingAdmissionPolicy', loaded)], hash: undefined, reason: 'it is about other policies' },
    { metrics: [line('ValidatingAdmissionPolicy', '')], hash: undefined, reason: 'the folder is empty' },
    { metrics: ['up 1'], hash: undefined, reason: 'it reads no policies from files' },
  ])('say that $hash is in effect: $reason', ({ metrics, hash }) => {
    expect(loadedPolicyHash(metrics.join('\n'))).toBe(hash);
  });

  test('identify a file as Kubernetes does, with a byte after each file', () => {
    // printf 'a\0' | sha256sum
    expect(policyHash('a')).toBe('sha256:ffe9aaeaa2a2d5048174df0b80599ef0197ec024c4b051bc9860cff58ef7f9f3');
  });
});

test.each([
  { complaint: 'unrecognized feature gate: ManifestBasedAdmissionControlConfig', isBlamed: true },
  { complaint: 'failed to load static policy manifests from "/proc/self/cwd/limit-policies": …', isBlamed: true },
  { complaint: 'unknown flag: --admission-control-config-file', isBlamed: true },
  { complaint: 'listen tcp 127.0.0.1:20001: bind: address already in use', isBlamed: false },
])('a failed start with "$complaint" is because of the file: $isBlamed', ({ complaint, isBlamed }) => {
  expect(isPolicyComplaint(complaint)).toBe(isBlamed);
});
