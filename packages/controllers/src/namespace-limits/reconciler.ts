import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Namespace, ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ControllerDependencies } from '../dependencies.ts';
import { clustersByNamespace } from '../node-pool/project-quotas.ts';
import { hardLimits, initialStatus, QUOTA_NAME } from './namespace-quota.ts';

const namespaceOf = ({ metadata }: KubeObject) => [metadata.namespace ?? ''];
export const credentialsByNamespace: CacheIndex<CloudCredential> = { name: 'namespace', valuesOf: namespaceOf };
export const resourceQuotasByNamespace: CacheIndex<ResourceQuota> = { name: 'namespace', valuesOf: namespaceOf };

type Dependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'namespaceLimits'>;

/**
 * Maintains a ResourceQuota with the limits of Fairway's own API in each tenant's namespace, if a different API server
 * stores the objects and counts them exactly, even for concurrent writers. Keys are namespace names.
 */
export class NamespaceLimitsReconciler {
  readonly #dependencies: Dependencies;
  readonly #namespaces: Informer<Namespace>;
  readonly #quotas: Informer<ResourceQuota>;

  constructor(
    dependencies: Dependencies,
    own: { readonly namespaces: Informer<Namespace>; readonly quotas: Informer<ResourceQuota> },
  ) {
    this.#dependencies = dependencies;
    this.#namespaces = own.namespaces;
    this.#quotas = own.quotas;
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<Result> {
    const { cache, client, namespaceLimits } = this.#dependencies;
    const namespace = this.#namespaces.get(name);
    if (namespace === undefined || namespaceLimits === undefined) return {};
    const quotas = this.#quotas.find(resourceQuotasByNamespace, name);
    const isInUse =
      cache.clusters.find(clustersByNamespace, name).length > 0 ||
      cache.credentials.find(credentialsByNamespace, name).length > 0;
    const hard = hardLimits(namespaceLimits, { namespace, isInUse, quotas });
    const stored = quotas.find(({ metadata }) => metadata.name === QUOTA_NAME);
    const resource = client.resource(ResourceQuotas);
    const { uid } = stored?.metadata ?? {};
    if (hard === undefined) {
      if (uid !== undefined) await resource.delete(QUOTA_NAME, { namespace: name, uid, signal });
      return {};
    }
    if (stored && jsonEqual(hard, stored.spec?.hard)) return {};
    const metadata = { name: QUOTA_NAME, namespace: name };
    const quota = stored ?? (await resource.create({ metadata, spec: {} }, { signal }));
    const status = initialStatus(hard, quota);
    // A Conflict means that the counts may have changed, so both steps are repeated.
    const counted = status ? await resource.updateStatus({ ...quota, status }, { signal }) : quota;
    await resource.update({ ...counted, spec: { hard } }, { signal });
    return {};
  }
}
