import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';
import type { Informer } from '@fairway/kube/client/informer';
import type { ControllerDependencies } from '../dependencies.ts';
import type { ProjectQuotas } from '../node-pool/project-quotas.ts';

export type ClusterDependencies = Pick<
  ControllerDependencies,
  | 'client'
  | 'cache'
  | 'clouds'
  | 'runtime'
  | 'credentials'
  | 'tenants'
  | 'clock'
  | 'attempts'
  | 'events'
  | 'servesAutoscalers'
  | 'keystoneUsers'
  | 'usageRetentionMs'
> & { readonly profiles: Informer<CloudProfile>; readonly quotas: Pick<ProjectQuotas, 'of'> };
