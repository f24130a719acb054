import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByCredential, credentialKeyOf } from '@fairway/tenancy/cache-indexes';
import { isRequestChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { retryWhenReady } from './readiness.ts';
import { CredentialReconciler, DEFAULT_CREDENTIAL_CHECK_MS } from './reconciler.ts';
import { RefusalChecks } from './refusal-checks.ts';
import { isRevocationSkipped } from './revocation.ts';

export const credentialController: Declaration = {
  name: 'cloud-credential',
  concurrency: 10,
  rights: [
    { type: cloudCredentials, verbs: [...READ, 'patch', 'delete'] },
    { type: cloudCredentials, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByCredential)],
  watches: ({ cache }) => [
    watch(cache.credentials, undefined, {
      isRelevant: (old, { metadata }) =>
        isRequestChanged(old, { metadata }) ||
        isRevocationSkipped(old) !== isRevocationSkipped({ metadata }) ||
        old.metadata.deletionTimestamp !== metadata.deletionTimestamp ||
        isPaused(old) !== isPaused({ metadata }),
    }),
    // A credential that is waiting for the deletion of its clusters is enqueued.
    watch(cache.clusters, clustersByCredential.valuesOf, {
      isRelevant: (old, cluster) => credentialKeyOf(old) !== credentialKeyOf(cluster),
    }),
  ],
  create(shared) {
    const reconciler = new CredentialReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, shared) {
    const { clock, clouds, credentialCheckMs = DEFAULT_CREDENTIAL_CHECK_MS } = shared;
    // The same interval at which an invalid credential is checked anyway.
    const refusals = new RefusalChecks(enqueue, clock, credentialCheckMs / 2);
    clouds.onProject((cloud) => {
      const stopRefusals = refusals.follow(cloud);
      const stopLists = cloud.cache.servers.subscribe(({ isStale }) => {
        if (isStale && cloud.credentialKey !== undefined) enqueue(cloud.credentialKey);
      });
      return () => {
        stopRefusals();
        stopLists();
      };
    });
    retryWhenReady(shared);
  },
};
