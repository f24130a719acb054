import { certificateSigner } from '@fairway/kube/auth/certificates/certificate-signer';
import { Controller } from '@fairway/kube/controller/controller';
import type { Runnable } from '@fairway/kube/controller/manager';
import { CertificateSigningRequests, Namespaces, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { ControllerContext } from './context.ts';

/** Everything that runs around the API server of a hollow cluster, in the order of starting. */
export function allControllers(context: ControllerContext): Runnable[] {
  return [csrSigner(context), scheduler(context)];
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
