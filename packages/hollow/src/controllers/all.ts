import { certificateCleaner } from '@fairway/kube/auth/certificates/certificate-cleaner';
import { certificateSigner } from '@fairway/kube/auth/certificates/certificate-signer';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { Service } from '@fairway/kube/kinds/generated/types';
import {
  CertificateSigningRequests,
  Deployments,
  Namespaces,
  Nodes,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  Services,
} from '@fairway/kube/kinds/resources';
import { EventTtl } from '@fairway/kube/lifecycle/event-ttl';
import { namespaceController } from '@fairway/kube/lifecycle/namespace-controller';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { ControllerContext } from './context.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption.ts';
import { endpointSliceController } from './endpoints/endpoint-slice-controller.ts';
import { LazyRunnable } from './lazy.ts';
import { nodeIpamController } from './nodes/node-ipam.ts';
import { nodeLifecycleController } from './nodes/node-lifecycle.ts';
import { podGarbageCollector } from './nodes/pod-garbage-collector.ts';
import { taintEvictionController } from './nodes/taint-eviction.ts';
import { OnDemandGarbageCollector } from './on-demand-garbage-collector.ts';
import { replicaSetController } from './replica-set.ts';
import { namespaceEssentials } from './service-accounts.ts';

/** Everything that runs around the API server of a hollow cluster, in the order of starting. */
export function allControllers(context: ControllerContext): Runnable[] {
  const whenThereAre = (
    name: string,
    types: readonly ResourceType[],
    create: (context: ControllerContext) => Runnable,
    matters?: (object: KubeObject) => boolean,
  ) => new LazyRunnable(name, context.store, types, () => create(context), matters);
  return [
    namespaceEssentials(context),
    namespaceController(context),
    new EventTtl(context),
    new OnDemandGarbageCollector(context),
    scheduler(context),
    whenThereAre('node-ipam', [Nodes], nodeIpamController),
    whenThereAre('node-lifecycle', [Nodes], nodeLifecycleController),
    whenThereAre('taint-eviction', [Nodes], taintEvictionController),
    whenThereAre('pod-garbage-collector', [Pods], podGarbageCollector),
    whenThereAre('endpointslice', [Services], endpointSliceController, (service) => hasSelector(service as Service)),
    whenThereAre('disruption', [PodDisruptionBudgets], disruptionController),
    whenThereAre('certificate-signer', [CertificateSigningRequests], csrSigner),
    whenThereAre('certificate-cleaner', [CertificateSigningRequests], csrCleaner),
    whenThereAre('replicaset', [ReplicaSets], replicaSetController),
    whenThereAre('deployment', [Deployments], deploymentController),
  ];
}

/** The `kubernetes` Service, which every cluster has, is nobody's work. */
function hasSelector(service: Service): boolean {
  return service.spec.selector !== undefined;
}

function scheduler(context: ControllerContext): Runnable {
  const { informers } = context;
  return new Scheduler({
    ...context,
    pods: informers.informer(Pods),
    nodes: informers.informer(Nodes),
    namespaces: informers.informer(Namespaces),
    events: context.events('default-scheduler'),
  }).controller;
}

function csrSigner({ client, informers, clock, random, log, ca }: ControllerContext): Runnable {
  const requests = informers.informer(CertificateSigningRequests);
  const reconcile = certificateSigner({
    requests,
    client: client.resource(CertificateSigningRequests),
    authority: () => ca,
    clock,
  });
  return new Controller({ name: 'certificate-signer', reconcile, clock, random, log }).watch(requests);
}

function csrCleaner({ client, informers, clock, random, log }: ControllerContext): Runnable {
  const requests = informers.informer(CertificateSigningRequests);
  const reconcile = certificateCleaner({ requests, client: client.resource(CertificateSigningRequests), clock });
  return new Controller({ name: 'certificate-cleaner', reconcile, clock, random, log }).watch(requests);
}
