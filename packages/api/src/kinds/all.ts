import { cloudCredentials } from './cloud-credential.ts';
import { cloudProfiles } from './cloud-profile.ts';
import { clusters } from './cluster.ts';
import type { Kind } from './kind.ts';
import { kubernetesReleases } from './kubernetes-release.ts';
import { machines } from './machine.ts';
import { nodePools } from './node-pool.ts';
import { plans } from './plan.ts';
import { projectQuotas } from './project-quota.ts';
import { usageRecords } from './usage-record.ts';

/** Every persisted kind in the API group. */
export const KINDS: readonly Kind[] = [
  clusters,
  nodePools,
  machines,
  cloudCredentials,
  cloudProfiles,
  plans,
  kubernetesReleases,
  usageRecords,
  projectQuotas,
];
