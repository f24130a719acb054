import { expect, test } from 'vitest';
import { CLEANUP_FINALIZER, CONTROLLER, isServed } from './tenant-ingresses.ts';

const ANNOTATION = 'kubernetes.io/ingress.class';

test.each<{ is: string; name?: string; old?: string; controller?: string; isDefined?: boolean; isOurs: boolean }>([
  { is: 'class octavia', name: 'octavia', isOurs: true },
  { is: 'no class', isOurs: false },
  { is: 'the old annotation of octavia-ingress-controller', old: 'openstack', isOurs: true },
  { is: 'the old annotation with our name', old: 'octavia', isOurs: true },
  { is: 'the old annotation of another', old: 'nginx', isOurs: false },
  {
    is: 'a field beside the old annotation',
    name: 'nginx',
    old: 'openstack',
    controller: 'k8s.io/nginx',
    isOurs: false,
  },
  { is: 'a class of our controller', name: 'public', controller: CONTROLLER, isOurs: true },
  { is: 'a class of another controller', name: 'public', controller: 'k8s.io/nginx', isOurs: false },
  { is: 'a class that does not exist', name: 'public', isOurs: false },
  { is: 'a class that is deleted while it is served', name: 'public', isDefined: true, isOurs: true },
  { is: 'a class that another takes over', name: 'public', controller: 'k8s.io/nginx', isDefined: true, isOurs: false },
])('$is', ({ name, old, controller, isDefined, isOurs }) => {
  const ingress = {
    metadata: {
      ...(old && { annotations: { [ANNOTATION]: old } }),
      ...(isDefined && { finalizers: [CLEANUP_FINALIZER] }),
    },
    spec: { ...(name && { ingressClassName: name }) },
  };

  expect(isServed(ingress, controller === undefined ? undefined : { spec: { controller } })).toBe(isOurs);
});
