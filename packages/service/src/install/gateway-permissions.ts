import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { ROOTS_SECRET } from '@fairway/gateway/management/gateway-roots';
import { WEBHOOK_NAME } from '@fairway/gateway/webhook/webhook-configuration';
import type { ClusterRole, Role } from '@fairway/kube/kinds/generated/types';

const RBAC_VERSION = 'rbac.authorization.k8s.io/v1';

/**
 * What the gateway needs beside what the controllers have: to ask who somebody is and may do what, to pass requests on in their names,
 * and to have itself asked about writes. Impersonation reaches as far as an administrator: `serve --no-gateway` works without it.
 */
export const GATEWAY_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-gateway' },
  rules: [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
    // Uids and extras; the keys of extras, which RBAC takes for subresources, are anybody's to choose.
    { apiGroups: ['authentication.k8s.io'], resources: ['*'], verbs: ['impersonate'] },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      verbs: ['create'],
    },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [WEBHOOK_NAME],
      verbs: ['get', 'list', 'watch', 'update'],
    },
  ],
};

/** The roots of its certificates, which all replicas share. */
export const GATEWAY_SYSTEM_ROLE: Role = {
  apiVersion: RBAC_VERSION,
  kind: 'Role',
  metadata: { name: 'fairway-gateway', namespace: SYSTEM_NAMESPACE },
  rules: [
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: [ROOTS_SECRET],
      verbs: ['get', 'list', 'watch', 'update'],
    },
  ],
};

/** Kubernetes' own Role for API servers behind kube-apiserver: which authorities sign its clients. */
export const AUTHENTICATION_READER = { namespace: 'kube-system', role: 'extension-apiserver-authentication-reader' };
