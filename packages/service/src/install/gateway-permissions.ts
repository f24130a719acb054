import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { SESSION_KEYS_SECRET } from '@fairway/gateway/console/session-keys';
import { GATEWAY_CA_SECRET } from '@fairway/gateway/management/gateway-ca';
import { WEBHOOK_NAME } from '@fairway/gateway/webhook/webhook-configuration';
import type { ClusterRole, Role } from '@fairway/kube/kinds/generated/types';

const RBAC_VERSION = 'rbac.authorization.k8s.io/v1';

/**
 * The gateway's permissions in addition to the controllers': to authenticate and authorize users, to forward requests by
 * impersonation, and to register its admission webhook. Impersonation is equivalent to administrator rights: `serve --no-gateway`
 * works without it.
 */
export const GATEWAY_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-gateway' },
  rules: [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
    // Allows impersonation of UIDs and extras: RBAC treats keys of extras as subresources, and the keys can't be
    // enumerated.
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

/**
 * For the namespaces of Keystone's projects and the permissions in them: only tenants' own roles can be granted. Not
 * bound until an operator who admits Keystone users binds it.
 */
export const KEYSTONE_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-keystone' },
  rules: [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'patch', 'delete'] },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['rolebindings'],
      verbs: ['list', 'create', 'patch', 'delete'],
    },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['fairway-member', 'fairway-reader'],
      verbs: ['bind'],
    },
  ],
};

/**
 * For requests that Magnum's API makes with Fairway's own identity. Tenants' templates are ConfigMaps in their
 * namespaces, records of creations in progress are ConfigMaps in Fairway's namespace, and quotas are ResourceQuotas; a
 * trust left behind by a crash is recorded in the Secret of its credential. Not bound until an operator who serves
 * Magnum's API binds it.
 */
export const MAGNUM_ROLE: ClusterRole = {
  apiVersion: RBAC_VERSION,
  kind: 'ClusterRole',
  metadata: { name: 'fairway-magnum' },
  rules: [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'create', 'patch', 'delete'] },
    { apiGroups: [''], resources: ['resourcequotas'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['update'] },
    { apiGroups: [GROUP], resources: ['nodepools'], verbs: ['create'] },
  ],
};

/** The CAs of the gateway's certificates and the keys of the console's sessions, shared by all replicas. */
export const GATEWAY_SYSTEM_ROLE: Role = {
  apiVersion: RBAC_VERSION,
  kind: 'Role',
  metadata: { name: 'fairway-gateway', namespace: SYSTEM_NAMESPACE },
  rules: [
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: [GATEWAY_CA_SECRET],
      verbs: ['get', 'list', 'watch', 'update'],
    },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [SESSION_KEYS_SECRET], verbs: ['get', 'update'] },
  ],
};

/** Kubernetes' own Role for aggregated API servers: grants access to the client CAs. */
export const AUTHENTICATION_READER = { namespace: 'kube-system', role: 'extension-apiserver-authentication-reader' };
