import type { CacheExpectations } from '../cache-expectations.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import type { ServerBuilds } from './server-builds.ts';

export interface MachineDependencies
  extends Pick<
    ControllerDependencies,
    'client' | 'cache' | 'clouds' | 'tenants' | 'bootstrapper' | 'clock' | 'attempts' | 'events'
  > {
  readonly builds: ServerBuilds;
  readonly expectations: CacheExpectations;
}
