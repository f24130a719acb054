import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { can, urls } from './rule.ts';

/** User-facing roles, as defined in kube-apiserver 1.36 (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go). */
export const userRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [can('*', '*', '*'), urls('*', '*')],
  'system:aggregate-to-admin': [
    can('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
    can(
      'create delete deletecollection get list patch update watch',
      'rbac.authorization.k8s.io',
      'rolebindings roles',
    ),
  ],
  'system:aggregate-to-edit': [
    can('get list watch', 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
    can('impersonate', 'core', 'serviceaccounts'),
    can(
      'create delete deletecollection patch update',
      'core',
      'pods pods/attach pods/exec pods/portforward pods/proxy',
    ),
    can('create', 'core', 'pods/eviction'),
    can(
      'create delete deletecollection patch update',
      'core',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ),
    can('create', 'core', 'serviceaccounts/token'),
    can('create delete deletecollection patch update', 'core events.k8s.io', 'events'),
    can(
      'create delete deletecollection patch update',
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    ),
    can('create delete deletecollection patch update', 'autoscaling', 'horizontalpodautoscalers'),
    can('create delete deletecollection patch update', 'batch', 'cronjobs jobs'),
    can(
      'create delete deletecollection patch update',
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    ),
    can('create delete deletecollection patch update', 'policy', 'poddisruptionbudgets'),
    can('create delete deletecollection patch update', 'networking.k8s.io', 'ingresses networkpolicies'),
    can('create delete deletecollection get list patch update watch', 'coordination.k8s.io', 'leases'),
    can('create delete deletecollection patch update', 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
  ],
  'system:aggregate-to-view': [
    can(
      'get list watch',
      'core',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    ),
    can(
      'get list watch',
      'core',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    ),
    can('get list watch', 'core', 'namespaces'),
    can('get list watch', 'core events.k8s.io', 'events'),
    can('get list watch', 'discovery.k8s.io', 'endpointslices'),
    can(
      'get list watch',
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    ),
    can('get list watch', 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    can('get list watch', 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
    can(
      'get list watch',
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    ),
    can('get list watch', 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    can('get list watch', 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    can('get list watch', 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  ],
};
