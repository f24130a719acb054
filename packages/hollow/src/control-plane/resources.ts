import { reviewDefinitions } from '@fairway/apiserver/auth/auth-kinds';
import { certificateSigningRequests } from '@fairway/apiserver/auth/certificates/signing-requests';
import { serviceAccountToken } from '@fairway/apiserver/auth/token-request';
import { CUSTOM_RESOURCE_DEFINITIONS_WITH_WEBHOOKS } from '@fairway/apiserver/crd/custom-resource-definition';
import { ALL_KINDS, kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import { CertificateSigningRequests, Pods, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { podBinding } from './pod-binding.ts';
import { podEphemeralContainers } from './pod-ephemeral-containers.ts';
import { podEviction } from './pod-eviction.ts';
import { podResize } from './pod-resize.ts';
import { podStreams } from './pod-streams.ts';

const pods: ResourceDefinition = {
  ...kindOf(Pods),
  subresources: {
    ...kindOf(Pods).subresources,
    binding: podBinding,
    ephemeralcontainers: podEphemeralContainers,
    eviction: podEviction,
    resize: podResize,
    ...podStreams,
  },
};

const serviceAccounts: ResourceDefinition = {
  ...kindOf(ServiceAccounts),
  subresources: { token: serviceAccountToken },
};

const OVERRIDDEN_RESOURCES = new Map<string, ResourceDefinition>([
  [Pods.plural, pods],
  [ServiceAccounts.plural, serviceAccounts],
  [CertificateSigningRequests.plural, certificateSigningRequests],
]);

/** Every kind in a hollow cluster: one list, and the data derived from it, shared by all clusters in a process. */
export const HOLLOW_RESOURCES: readonly ResourceDefinition[] = [
  ...ALL_KINDS.map((kind) => OVERRIDDEN_RESOURCES.get(kind.plural) ?? kind),
  CUSTOM_RESOURCE_DEFINITIONS_WITH_WEBHOOKS,
  ...reviewDefinitions,
];
