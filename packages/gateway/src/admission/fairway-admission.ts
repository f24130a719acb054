import { admitCluster } from '@fairway/api/admission/admit-cluster';
import { admitNodePool, nodePoolWarnings } from '@fairway/api/admission/admit-node-pool';
import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { GROUP } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import type { Clouds } from '@fairway/controllers/cloud/project-cloud';
import { forbidden } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { AdmissionPlugin, AdmissionRequest } from '@fairway/kube/server/admission';
import type { ObjectReader } from '@fairway/kube/server/object-reader';
import type { CloudOffer } from './cloud-offer.ts';

export interface FairwayAdmissionOptions {
  /** Asked for on first use, because the server is made from what is made here. */
  readonly reader: () => ObjectReader;
  readonly clouds: Clouds;
  readonly offer: CloudOffer;
}

/** Judges Clusters and NodePools by plans, releases and what their namespace's cloud offers; the rules are api's, pure and tabled there. */
export function fairwayAdmission(options: FairwayAdmissionOptions): AdmissionPlugin {
  return {
    name: 'Fairway',
    async validate(request) {
      const { resource, subresource, operation, object } = request;
      if (resource.group !== GROUP || !(subresource === '' || subresource === 'scale') || object === undefined) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      if (isSpecUnchanged(request)) return;
      if (resource.plural === clusters.plural) await judgeCluster(options, request);
      if (resource.plural === nodePools.plural) await judgeNodePool(options, request);
    },
  };
}

/** Metadata alone (labels, finalizers) is no reason to ask the cloud. */
function isSpecUnchanged({ object, oldObject }: AdmissionRequest): boolean {
  if (oldObject === undefined) return false;
  const spec = (value: unknown) => JSON.stringify((value as { spec?: unknown }).spec);
  return spec(object) === spec(oldObject);
}

async function judgeCluster(options: FairwayAdmissionOptions, request: AdmissionRequest): Promise<void> {
  const reader = options.reader();
  const cluster = request.object as Cluster;
  const catalogue = await catalogueFor(options, request);
  const errors = admitCluster({
    cluster,
    old: request.oldObject as Cluster | undefined,
    plans: reader.list(plans),
    releases: reader.list(kubernetesReleases),
    catalogue,
    others: reader.list(clusters, request.namespace).filter(({ metadata }) => metadata.name !== request.name),
  });
  refuse(clusters, request, errors);
}

async function judgeNodePool(options: FairwayAdmissionOptions, request: AdmissionRequest): Promise<void> {
  const reader = options.reader();
  const admission = {
    pool: request.object as NodePool,
    old: request.oldObject as NodePool | undefined,
    clusters: reader.list(clusters, request.namespace),
    others: reader.list(nodePools, request.namespace).filter(({ metadata }) => metadata.name !== request.name),
    plans: reader.list(plans),
    catalogue: await catalogueFor(options, request),
  };
  refuse(nodePools, request, admitNodePool(admission));
  for (const warning of nodePoolWarnings(admission)) request.warn(warning);
}

async function catalogueFor(
  { clouds, offer }: FairwayAdmissionOptions,
  request: AdmissionRequest,
): Promise<CloudCatalogue> {
  const cloud = clouds.forNamespace(request.namespace);
  if (cloud === undefined) {
    const subject = { group: GROUP, resource: request.resource.plural, name: request.name };
    throw forbidden(
      subject,
      `namespace "${request.namespace}" has no cloud: ask the operator to set the annotation fairway.dev/cloud on it`,
    );
  }
  const catalogue = await offer.catalogueOf(cloud);
  if (catalogue.flavors === undefined) {
    request.warn('the cloud does not answer: flavors, images and networks are checked later, by the controllers');
  }
  return catalogue;
}

function refuse(kind: { group: string; kind: string }, request: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, request.name, errors);
}
