import type { Container, EnvVar, Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { podStatusAt } from './pod-status.ts';
import { subPathProblem } from './sub-path.ts';

function aPod(subPathExpr: string, env: EnvVar[], annotations: Record<string, string> = {}): Pod {
  const volumeMounts = [{ name: 'work', mountPath: '/work', subPathExpr }];
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u', annotations },
    spec: { containers: [{ name: 'app', image: 'a', env, volumeMounts }], volumes: [{ name: 'work', emptyDir: {} }] },
  };
}

function problemOf(pod: Pod, more: Partial<Container> = {}): string | undefined {
  const [container] = pod.spec.containers;
  return container && subPathProblem({ ...container, ...more }, pod);
}

const FROM_ANNOTATION: EnvVar = { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['a']" } } };
const FROM_MAP: EnvVar = { name: 'A', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } };

test.each([
  ['with a variable', aPod('$(A)/x', [{ name: 'A', value: 'logs' }]), undefined],
  ['upwards', aPod('$(A)', [{ name: 'A', value: '..' }]), "unable to provision SubPath `..`: must not contain '..'"],
  [
    'that is absolute',
    aPod('$(A)', [{ name: 'A', value: '/tmp' }]),
    'error SubPath `/tmp` must not be an absolute path',
  ],
  ['with an undefined variable', aPod('$(B)', [{ name: 'A', value: 'logs' }]), 'missing value for "B"'],
  ['with a value that is unknown here', aPod('$(A)', [FROM_MAP]), undefined],
  ['with a missing annotation', aPod('$(A)/x', [FROM_ANNOTATION]), 'error SubPath `/x` must not be an absolute path'],
  ['with an annotation', aPod('$(A)/x', [FROM_ANNOTATION], { a: 'logs' }), undefined],
])('expands a path %s', (_, pod, expected) => {
  expect(problemOf(pod)).toBe(expected);
});

test('treats variables from a whole ConfigMap as unknown', () => {
  const pod = aPod('$(B)', []);

  expect(problemOf(pod, { envFrom: [{ configMapRef: { name: 'm' } }] })).toBeUndefined();
});

test('makes a container with an invalid path wait until the pod is fixed', () => {
  const pod = aPod('$(A)/x', [FROM_ANNOTATION]);
  const placement = { startedMs: 0, nowMs: 60_000, hostIp: undefined, podIp: undefined };
  const corrected = { ...pod, metadata: { ...pod.metadata, annotations: { a: 'logs' } } };

  expect(podStatusAt(pod, placement).status).toMatchObject({
    phase: 'Pending',
    containerStatuses: [{ ready: false, state: { waiting: { reason: 'CreateContainerConfigError' } } }],
  });
  expect(podStatusAt(corrected, placement).status).toMatchObject({ phase: 'Running' });
});
