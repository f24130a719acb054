import { expect, test } from 'vitest';
import { CLEANUP_FINALIZER, CONTROLLER, isServed } from './tenant-ingresses.ts';

const ANNOTATION = 'kubernetes.io/ingress.class';

test.each<{ is: string; name?: string; old?: string; controller?: string; isDefined?: boolean; expected: boolean }>([
  { is: 'class octavia', name: 'octavia', expected: true },
  { is: 'no class', expected: false },
  { is: 'the old annotation of octavia-ingress-controller', old: 'openstack', expected: true },
  { is: 'the old annotation with our name', old: 'octavia', expected: true },
  { is: 'the old annotation of another controller', old: 'nginx', expected: false },
  {
    is: 'a class field in addition to the old annotation',
    name: 'nginx',
    old: 'openstack',
    controller: 'k8s.io/nginx',
    expected: false,
  },
  { is: 'a class of our controller', name: 'public', controller: CONTROLLER, expected: true },
  { is: 'a class of another controller', name: 'public', controller: 'k8s.io/nginx', expected: false },
  { is: 'a class that does not exist', name: 'public', expected: false },
  { is: 'a class that is deleted while it is served', name: 'public', isDefined: true, expected: true },
  {
    is: 'a class that another controller takes over',
    name: 'public',
    controller: 'k8s.io/nginx',
    isDefined: true,
    expected: false,
  },
])('$is', ({ name, old, controller, isDefined, expected }) => {
  const ingress = {
    metadata: {
      ...(old && { annotations: { [ANNOTATION]: old } }),
      ...(isDefined && { finalizers: [CLEANUP_FINALIZER] }),
    },
    spec: { ...(name && { ingressClassName: name }) },
  };

  expect(isServed(ingress, controller === undefined ? undefined : { spec: { controller } })).toBe(expected);
});
