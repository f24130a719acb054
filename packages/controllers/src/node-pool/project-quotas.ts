import { findByIdOrName } from '@fairway/api/admission/references';
import {
  type EffectiveQuota,
  effectiveQuota,
  type QuotaDefaults,
  type VcpuLookup,
} from '@fairway/api/domain/project-quota';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ProjectQuota } from '@fairway/api/kinds/project-quota';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import type { ObjectSource } from '@fairway/kube/client/object-source';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { ProjectShareFacts } from './project-share.ts';
import type { KnownQuota } from './share-facts.ts';

const valuesOf = ({ metadata }: KubeObject) => [metadata.namespace ?? ''];

/** By namespace. */
export const quotasByNamespace: CacheIndex<ProjectQuota> = { name: 'project', valuesOf };
export const clustersByNamespace: CacheIndex<Cluster> = { name: 'project', valuesOf };
export const poolsByNamespace: CacheIndex<NodePool> = { name: 'project', valuesOf };
export const machinesByNamespace: CacheIndex<Machine> = { name: 'project', valuesOf };

export interface ProjectQuotasOptions {
  readonly quotas: Pick<ObjectSource<ProjectQuota>, 'find'>;
  readonly nodePools: Pick<ObjectSource<NodePool>, 'find'>;
  readonly machines: Pick<ObjectSource<Machine>, 'find'>;
  readonly defaults: QuotaDefaults | undefined;
}

/** The quotas of projects for the node pool controllers, from the caches. */
export class ProjectQuotas {
  readonly #options: ProjectQuotasOptions;

  constructor(options: ProjectQuotasOptions) {
    this.#options = options;
  }

  of(namespace: string): EffectiveQuota {
    const { quotas, defaults } = this.#options;
    return effectiveQuota(quotas.find(quotasByNamespace, namespace), defaults);
  }

  limitsNodes({ metadata }: NodePool): boolean {
    const { nodes, cores } = this.of(metadata.namespace ?? '');
    return nodes !== undefined || cores !== undefined;
  }

  /** Undefined if nothing limits nodes. */
  known(pool: NodePool, cloud: ProjectCloud): KnownQuota | undefined {
    if (!this.limitsNodes(pool)) return undefined;
    return { quota: this.of(pool.metadata.namespace ?? ''), vcpusOf: vcpusIn(cloud) };
  }

  shareFacts(pool: NodePool, cloud: ProjectCloud): ProjectShareFacts | undefined {
    const known = this.known(pool, cloud);
    if (known === undefined) return undefined;
    const { nodePools, machines } = this.#options;
    const { namespace = '' } = pool.metadata;
    const pools = nodePools.find(poolsByNamespace, namespace);
    return { ...known, pools, machines: machines.find(machinesByNamespace, namespace) };
  }
}

/** Cores of flavors in this cloud: clusters in a namespace share the operator's flavors. */
export function vcpusIn({ cache }: ProjectCloud): VcpuLookup {
  const flavors = [...cache.flavors.snapshot().items.values()];
  return ({ spec }) => findByIdOrName(flavors, spec.flavor)?.vcpus;
}
