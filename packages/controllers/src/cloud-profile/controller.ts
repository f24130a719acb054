import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { cloudProfileName, cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { clustersByProfile } from '@fairway/tenancy/cache-indexes';
import { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Declaration } from '../dependencies.ts';
import { CloudProfileReconciler } from './reconciler.ts';

/** Publishes in CloudProfiles what tenants can select. Keyed by CloudProfile, which may not exist yet. */
export const cloudProfileController: Declaration = {
  name: 'cloud-profile',
  concurrency: 2,
  rights: [
    { type: cloudProfiles, verbs: [...READ, 'create', 'patch', 'delete'] },
    { type: cloudProfiles, subresource: 'status', verbs: ['patch'] },
    { type: cloudCredentials, verbs: READ },
    { type: clusters, verbs: READ },
    { type: Namespaces, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByProfile)],
  watches: ({ cache, informers }) => [
    watch(informers.informer(Namespaces), ({ metadata }) => [`${metadata.name}/${cloudProfileName(undefined)}`]),
    watch(cache.credentials, ({ metadata }) => [`${metadata.namespace}/${cloudProfileName(metadata.name)}`], {
      isRelevant: (old, credential) =>
        old.spec.cloud !== credential.spec.cloud || isPaused(old) !== isPaused(credential),
    }),
    // A deleted profile is recreated; updates come only from Fairway.
    watch(informers.informer(cloudProfiles), undefined, {
      isRelevant: (old, { metadata }) => old.metadata.generation !== metadata.generation,
    }),
    watch(cache.clusters, clustersByProfile.valuesOf, {
      isRelevant: (old, cluster) => old.spec.credentialName !== cluster.spec.credentialName,
    }),
  ],
  create(shared) {
    const reconciler = new CloudProfileReconciler(shared, {
      profiles: shared.informers.informer(cloudProfiles),
      namespaces: shared.informers.informer(Namespaces),
      offer: new CloudOffer(shared.clock, shared.log),
    });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
};
