import type { ControllerDependencies } from '../dependencies.ts';

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
>;
