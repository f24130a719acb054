import { BOOTSTRAP_TOKEN_TYPE } from '@fairway/apiserver/auth/bootstrap-tokens';
import { cachedRequests } from '@fairway/apiserver/auth/certificates/cached-requests';
import { certificateCleaner } from '@fairway/apiserver/auth/certificates/certificate-cleaner';
import { certificateSigner } from '@fairway/apiserver/auth/certificates/certificate-signer';
import { aggregatedRoleKeys, clusterRoleAggregator } from '@fairway/apiserver/auth/cluster-role-aggregator';
import { EventTtl } from '@fairway/apiserver/lifecycle/event-ttl';
import { namespaceController } from '@fairway/apiserver/lifecycle/namespace-controller';
import { resourceQuotaController } from '@fairway/apiserver/quota/quota-controller';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { PersistentVolume, Pod, Secret, Service } from '@fairway/kube/kinds/generated/types';
import {
  CertificateSigningRequests,
  ClusterRoles,
  CronJobs,
  DaemonSets,
  Deployments,
  Endpoints,
  Jobs,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  ReplicationControllers,
  ResourceQuotas,
  Secrets,
  Services,
  StatefulSets,
  ValidatingAdmissionPolicies,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { Scheduler } from '../scheduler/scheduler.ts';
import { bootstrapSigner, tokenCleaner } from './cluster/bootstrap-tokens.ts';
import { TOKEN_SECRET_TYPE, tokenSecretController } from './cluster/token-secrets.ts';
import type { ControllerContext } from './context.ts';
import { cronJobController } from './cron-job/cron-job-controller.ts';
import { daemonSetController } from './daemon-set/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption.ts';
import { ENDPOINTS_MANAGED_BY_LABEL, endpointSliceController } from './endpoints/endpoint-slice-controller.ts';
import { endpointSliceMirroring, isMirrorable } from './endpoints/endpoint-slice-mirroring.ts';
import { jobController } from './job/job-controller.ts';
import { LazyRunnable } from './lazy.ts';
import { nodeIpamController } from './nodes/node-ipam.ts';
import { nodeLifecycleController } from './nodes/node-lifecycle.ts';
import { podGarbageCollector } from './nodes/pod-garbage-collector.ts';
import { taintEvictionController } from './nodes/taint-eviction.ts';
import { OnDemandGarbageCollector } from './on-demand-garbage-collector.ts';
import { policyStatusController } from './policy-status/policy-status-controller.ts';
import { replicaSetController, replicationController } from './replica-set.ts';
import { namespaceDefaults } from './service-accounts.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';
import { attachDetach } from './storage/attach-detach.ts';
import { ephemeralVolumes, hasEphemeralVolumes } from './storage/ephemeral-volumes.ts';
import { claimProtection, volumeProtection } from './storage/protection.ts';
import { volumeBinder } from './storage/volume-binder.ts';

/** The controllers of a hollow cluster, in start order. */
export function allControllers(context: ControllerContext): Runnable[] {
  const lazyController = (
    name: string,
    types: readonly ResourceType[],
    create: (context: ControllerContext) => Runnable,
    isRelevant?: (object: KubeObject) => boolean,
  ) => new LazyRunnable(name, context.store, types, () => create(context), isRelevant);
  return [
    namespaceDefaults(context),
    namespaceController(context),
    new EventTtl(context),
    new OnDemandGarbageCollector(context),
    scheduler(context),
    lazyController('node-ipam', [Nodes], nodeIpamController),
    lazyController('node-lifecycle', [Nodes], nodeLifecycleController),
    lazyController('taint-eviction', [Nodes], taintEvictionController),
    lazyController('pod-garbage-collector', [Pods], podGarbageCollector),
    lazyController('endpointslice', [Services], endpointSliceController, (service) => hasSelector(service as Service)),
    lazyController('endpointslice-mirroring', [Endpoints], endpointSliceMirroring, needsMirroring),
    lazyController('disruption', [PodDisruptionBudgets], disruptionController),
    lazyController('certificate-signer', [CertificateSigningRequests], csrSigner),
    lazyController('certificate-cleaner', [CertificateSigningRequests], csrCleaner),
    lazyController('cluster-role-aggregator', [ClusterRoles], clusterRoleAggregation, isUserRole),
    lazyController('token-secrets', [Secrets], tokenSecretController, (secret) => typeOf(secret) === TOKEN_SECRET_TYPE),
    lazyController('token-cleaner', [Secrets], tokenCleaner, (secret) => typeOf(secret) === BOOTSTRAP_TOKEN_TYPE),
    lazyController('bootstrap-signer', [Secrets], bootstrapSigner, (secret) => typeOf(secret) === BOOTSTRAP_TOKEN_TYPE),
    lazyController('resource-quota', [ResourceQuotas], resourceQuotaController),
    lazyController('validatingadmissionpolicy-status', [ValidatingAdmissionPolicies], policyStatusController),
    lazyController('volume-binder', [PersistentVolumeClaims, PersistentVolumes], volumeBinder),
    lazyController('attach-detach', [PersistentVolumes], attachDetach, isOfDriver),
    lazyController('ephemeral-volume', [Pods], ephemeralVolumes, (pod) => hasEphemeralVolumes(pod as Pod)),
    lazyController('claim-protection', [PersistentVolumeClaims], claimProtection),
    lazyController('volume-protection', [PersistentVolumes], volumeProtection),
    lazyController('statefulset', [StatefulSets], statefulSetController),
    lazyController('daemonset', [DaemonSets], daemonSetController),
    lazyController('job', [Jobs], jobController),
    lazyController('cronjob', [CronJobs], cronJobController),
    lazyController('replicaset', [ReplicaSets], replicaSetController),
    lazyController('replication', [ReplicationControllers], replicationController),
    lazyController('deployment', [Deployments], deploymentController),
  ];
}

function typeOf(secret: KubeObject): string | undefined {
  return (secret as Secret).type;
}

/** The bootstrap policy's roles are created already aggregated. */
function isUserRole({ metadata }: KubeObject): boolean {
  return metadata.labels?.['kubernetes.io/bootstrapping'] === undefined;
}

function isOfDriver(volume: KubeObject): boolean {
  return csiSourceOf(volume as PersistentVolume) !== undefined;
}

function clusterRoleAggregation({ client, informers, clock, random, log }: ControllerContext): Runnable {
  const clusterRoles = informers.informer(ClusterRoles);
  const reconcile = clusterRoleAggregator({ clusterRoles, client: client.resource(ClusterRoles) });
  const controller = new Controller({ name: 'cluster-role-aggregator', reconcile, clock, random, log });
  return controller.watch(clusterRoles, aggregatedRoleKeys(clusterRoles));
}

/**
 * Whether a Service has a selector. The `kubernetes` Service, which exists in every cluster, has none and needs no
 * controller.
 */
function hasSelector(service: Service): boolean {
  return service.spec.selector !== undefined;
}

/** Whether Endpoints belong to a Service without a selector and need to be mirrored. */
function needsMirroring(endpoints: KubeObject): boolean {
  return endpoints.metadata.labels?.[ENDPOINTS_MANAGED_BY_LABEL] === undefined && isMirrorable(endpoints);
}

function scheduler(context: ControllerContext): Runnable {
  const { informers } = context;
  const scheduler = new Scheduler({
    ...context,
    pods: informers.informer(Pods),
    nodes: informers.informer(Nodes),
    namespaces: informers.informer(Namespaces),
    events: context.events('default-scheduler'),
  });
  const { controller } = scheduler;
  return {
    name: controller.name,
    whenSynced: (signal) => controller.whenSynced(signal),
    start(signal) {
      signal.addEventListener('abort', scheduler.followVolumes(), { once: true });
      controller.start(signal);
    },
    get stopped() {
      return controller.stopped;
    },
  };
}

function csrSigner({ client, informers, clock, random, log, ca }: ControllerContext): Runnable {
  const requests = cachedRequests(informers);
  const reconcile = certificateSigner({
    requests,
    client: client.resource(CertificateSigningRequests),
    authority: () => ca,
    clock,
  });
  return new Controller({ name: 'certificate-signer', reconcile, clock, random, log }).watch(requests);
}

function csrCleaner({ client, informers, clock, random, log }: ControllerContext): Runnable {
  const requests = cachedRequests(informers);
  const reconcile = certificateCleaner({ requests, client: client.resource(CertificateSigningRequests), clock });
  return new Controller({ name: 'certificate-cleaner', reconcile, clock, random, log }).watch(requests);
}
