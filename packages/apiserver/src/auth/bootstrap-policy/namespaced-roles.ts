import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { can, writeEvents } from './rule.ts';

/** Roles in system namespaces, as defined in kube-apiserver 1.36 (bootstrappolicy/namespace_policy.go). */
export const namespacedRoles: Readonly<Record<string, Readonly<Record<string, readonly PolicyRule[]>>>> = {
  'kube-public': {
    'system:controller:bootstrap-signer': [
      can('get list watch', 'core', 'configmaps'),
      can('update', 'core', 'configmaps', 'cluster-info'),
      writeEvents,
    ],
  },
  'kube-system': {
    'extension-apiserver-authentication-reader': [
      can('get list watch', 'core', 'configmaps', 'extension-apiserver-authentication'),
    ],
    'system::leader-locking-kube-controller-manager': [
      can('create get list update watch', 'coordination.k8s.io', 'leases'),
      can('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
    ],
    'system::leader-locking-kube-scheduler': [
      can('create get list update watch', 'coordination.k8s.io', 'leases'),
      can('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
    ],
    'system:controller:bootstrap-signer': [can('get list watch', 'core', 'secrets')],
    'system:controller:cloud-provider': [can('create get list watch', 'core', 'configmaps')],
    'system:controller:token-cleaner': [can('delete get list watch', 'core', 'secrets'), writeEvents],
  },
};
