import { cachedRequests } from '@fairway/apiserver/auth/certificates/cached-requests';
import { certificateCleaner } from '@fairway/apiserver/auth/certificates/certificate-cleaner';
import { certificateSigner } from '@fairway/apiserver/auth/certificates/certificate-signer';
import { aggregatedRoleKeys, clusterRoleAggregator } from '@fairway/apiserver/auth/cluster-role-aggregator';
import { EventTtl } from '@fairway/apiserver/lifecycle/event-ttl';
import { GarbageCollector } from '@fairway/apiserver/lifecycle/garbage-collector';
import { namespaceController } from '@fairway/apiserver/lifecycle/namespace-controller';
import { resourceQuotaController } from '@fairway/apiserver/quota/quota-controller';
import type { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import { CertificateSigningRequests, ClusterRoles } from '@fairway/kube/kinds/resources';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';

export interface EmbeddedManagementOptions {
  readonly client: KubeClient;
  readonly informers: InformerSet;
  readonly authority: CertificateAuthority;
  readonly store: Pick<Store, 'subscribe'>;
  /** Resources that ResourceQuotas count. */
  readonly ledger: QuotaLedger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * The part of kube-controller-manager for an API without pods: garbage collection, namespaces, events, quotas,
 * certificates, and aggregated roles.
 */
export function embeddedManagement(options: EmbeddedManagementOptions): Runnable[] {
  const { client, informers, authority, store, ledger, clock, random, log } = options;
  const requests = cachedRequests(informers);
  const clusterRoles = informers.informer(ClusterRoles);
  const commonOptions = { clock, random, log };
  const requestClient = client.resource(CertificateSigningRequests);
  const signer = certificateSigner({ requests, client: requestClient, authority: () => authority, clock });
  const cleaner = certificateCleaner({ requests, client: requestClient, clock });
  const aggregator = clusterRoleAggregator({ clusterRoles, client: client.resource(ClusterRoles) });
  return [
    new GarbageCollector({ client, ...commonOptions }),
    namespaceController({ client, informers, ...commonOptions }),
    new EventTtl({ client, ...commonOptions }),
    resourceQuotaController({ client, informers, store, ledger, ...commonOptions }),
    new Controller({ name: 'certificate-signer', reconcile: signer, ...commonOptions }).watch(requests),
    new Controller({ name: 'certificate-cleaner', reconcile: cleaner, ...commonOptions }).watch(requests),
    new Controller({ name: 'cluster-role-aggregator', reconcile: aggregator, ...commonOptions }).watch(
      clusterRoles,
      aggregatedRoleKeys(clusterRoles),
    ),
  ];
}
