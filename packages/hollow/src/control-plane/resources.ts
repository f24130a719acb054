import { reviewDefinitions } from '@fairway/kube/auth/auth-kinds';
import { certificateSigningRequests } from '@fairway/kube/auth/certificates/signing-requests';
import { serviceAccountToken } from '@fairway/kube/auth/token-request';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@fairway/kube/crd/custom-resource-definition';
import { ALL_KINDS, kindOf } from '@fairway/kube/kinds/builtin-kinds';
import { CertificateSigningRequests, Pods, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { ResourceDefinition } from '@fairway/kube/server/resource';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';
import { podStreams } from './pod-streams.ts';

const pods: ResourceDefinition = {
  ...kindOf(Pods),
  subresources: { ...kindOf(Pods).subresources, binding: podBinding, eviction: podEviction, ...podStreams },
};

const serviceAccounts: ResourceDefinition = {
  ...kindOf(ServiceAccounts),
  subresources: { token: serviceAccountToken },
};

const REPLACED = new Map<string, ResourceDefinition>([
  [Pods.plural, pods],
  [ServiceAccounts.plural, serviceAccounts],
  [CertificateSigningRequests.plural, certificateSigningRequests],
]);

/** Every kind of a hollow cluster: one list for all clusters of a process, which then share what is derived from it. */
export const HOLLOW_RESOURCES: readonly ResourceDefinition[] = [
  ...ALL_KINDS.map((kind) => REPLACED.get(kind.plural) ?? kind),
  CUSTOM_RESOURCE_DEFINITIONS,
  ...reviewDefinitions,
];
