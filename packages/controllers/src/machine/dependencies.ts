import type { CacheExpectations } from '../cache-expectations.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import type { BlockedPods } from './blocked-pods.ts';
import type { DetachingVolumes } from './detaching-volumes.ts';
import type { ServerBuilds } from './server-builds.ts';

export interface MachineDependencies
  extends Pick<
    ControllerDependencies,
    'client' | 'cache' | 'clouds' | 'tenants' | 'bootstrapper' | 'clock' | 'attempts' | 'events'
  > {
  readonly builds: ServerBuilds;
  readonly volumes: DetachingVolumes;
  readonly blockedPods: BlockedPods;
  readonly expectations: CacheExpectations;
}
