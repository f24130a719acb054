import { findByIdOrName } from '@fairway/api/admission/references';
import { effectiveQuota } from '@fairway/api/domain/project-quota';
import { type CloudProfile, cloudProfileName } from '@fairway/api/kinds/cloud-profile';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { type ProjectQuota, projectQuotas } from '@fairway/api/kinds/project-quota';
import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { clustersByNamespace, poolsByNamespace, quotasByNamespace } from '../node-pool/project-quotas.ts';
import { writeStatus } from '../status-writer.ts';
import { quotaStatus } from './status.ts';

type Dependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'clock' | 'quotaDefaults'>;

/** Keeps each ProjectQuota's record of its namespace's usage up to date. */
export class ProjectQuotaReconciler {
  readonly #dependencies: Dependencies;
  readonly #quotas: Informer<ProjectQuota>;
  readonly #profiles: Informer<CloudProfile>;

  constructor(
    dependencies: Dependencies,
    own: { readonly quotas: Informer<ProjectQuota>; readonly profiles: Informer<CloudProfile> },
  ) {
    this.#dependencies = dependencies;
    this.#quotas = own.quotas;
    this.#profiles = own.profiles;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, client, clock, quotaDefaults } = this.#dependencies;
    const pass = new Pass(context, clock);
    const quota = this.#quotas.get(key);
    if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return pass.end();
    const { namespace = '' } = quota.metadata;
    return pass.end(() =>
      writeStatus(
        client.resource(projectQuotas),
        quota,
        quotaStatus(quota, {
          clusters: cache.clusters.find(clustersByNamespace, namespace).length,
          pools: cache.nodePools.find(poolsByNamespace, namespace),
          vcpusOf: (pool) => this.#vcpusOf(pool),
          quota: effectiveQuota(this.#quotas.find(quotasByNamespace, namespace), quotaDefaults),
        }),
      ),
    );
  }

  /** According to the CloudProfile of its cluster's project. */
  #vcpusOf(pool: NodePool): number | undefined {
    const cluster = this.#dependencies.cache.clusters.get(clusterKeyOf(pool));
    const profile = this.#profiles.get(`${pool.metadata.namespace}/${cloudProfileName(cluster?.spec.credentialName)}`);
    return findByIdOrName(profile?.status?.flavors ?? [], pool.spec.flavor)?.vcpus;
  }
}
