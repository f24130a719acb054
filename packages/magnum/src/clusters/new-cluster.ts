import { API_VERSION } from '@fairway/api/group';
import { clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { MAX_CLUSTER_NAME_LENGTH } from '@fairway/api/names';
import { z } from 'zod';
import { labels, NAME, optional, optionalFlag, optionalInt } from '../http/body.ts';
import { invalidInput } from '../http/magnum-error.ts';
import { podNetworkOf } from '../templates/network-drivers.ts';
import { DEFAULT_IMAGE, type Template, type TemplateFields } from '../templates/template.ts';
import { effectiveLabelsOf, type Labels, specFromLabels, splitList } from './labels.ts';
import type { NetworkIds, NetworkNames } from './network-ids.ts';
import { objectName } from './object-name.ts';
import { type ClusterRecord, DEFAULT_WORKER, type PoolRecord, recordAnnotation } from './record.ts';

const optionalText = () => optional(z.string().max(255));
const count = (maxLength: number) => optionalInt(z.int().min(0).max(maxLength));

/** Body of `POST /v1/clusters`. */
export const ClusterBody = z.strictObject({
  name: optional(NAME),
  cluster_template_id: z.string().min(1).max(255),
  keypair: optionalText(),
  node_count: count(100_000),
  master_count: optionalInt(z.int().min(1).max(99)),
  docker_volume_size: count(1_000_000),
  labels: optional(labels()),
  merge_labels: optionalFlag(),
  master_flavor_id: optionalText(),
  flavor_id: optionalText(),
  create_timeout: count(1_000_000),
  discovery_url: optionalText(),
  fixed_network: optionalText(),
  fixed_subnet: optionalText(),
  floating_ip_enabled: optionalFlag(),
  master_lb_enabled: optionalFlag(),
});
export type ClusterBody = z.infer<typeof ClusterBody>;

/** Name of the nodegroup that represents the control plane, which has no nodes here. */
export const DEFAULT_MASTER = 'default-master';

export interface NewObjects {
  readonly cluster: NewCluster;
  readonly pool: NewNodePool;
}

export interface ClusterContext {
  readonly namespace: string;
  readonly userId: string;
  /** ID of the request. */
  readonly request: string;
  /** Cluster name if none was specified. */
  readonly generatedName: string;
  readonly networks: NetworkIds;
  /** The plan of a name, or the default plan; undefined if unknown. */
  readonly planOf: (name: string | undefined) => Plan | undefined;
  readonly nowMs: number;
}

/** The objects for a request body. Throws 400 for unsupported values. Pure. */
export function newObjects(body: ClusterBody, template: Template, context: ClusterContext): NewObjects {
  const { fields, offer } = template;
  const effectiveLabels = effectiveLabelsOf(fields.labels, body.labels, body.merge_labels);
  const labelSpec = specFromLabels(effectiveLabels);
  const plan = labelSpec.cluster.plan ?? offer?.plan;
  const knownPlan = context.planOf(plan);
  const replicas = knownPlan?.spec.controlPlane.replicas;
  if (body.master_count !== undefined && body.master_count > 1 && replicas !== undefined && replicas < 2) {
    throw invalidInput(
      `master_count ${body.master_count}: plan ${plan} runs a single control plane replica; set it to 1, or select a template of another plan`,
    );
  }
  const flavor = body.flavor_id ?? fields.flavor_id;
  if (flavor === undefined)
    throw invalidInput('flavor_id: neither the cluster nor its template specifies one; see "openstack flavor list"');
  const name = body.name ?? context.generatedName;
  const metadataName = objectName(name, MAX_CLUSTER_NAME_LENGTH);
  const floating = body.floating_ip_enabled ?? fields.floating_ip_enabled ?? false;
  const { request } = context;
  const record: ClusterRecord = {
    request,
    ...(name !== metadataName && { name }),
    cluster_template_id: template.uuid,
    keypair: body.keypair ?? fields.keypair_id,
    docker_volume_size: body.docker_volume_size ?? fields.docker_volume_size,
    labels: { ...effectiveLabels },
    own_labels: { ...body.labels },
    merge_labels: body.merge_labels,
    master_flavor_id: body.master_flavor_id ?? fields.master_flavor_id,
    flavor_id: flavor,
    create_timeout: body.create_timeout,
    master_count: body.master_count,
    discovery_url: body.discovery_url,
    fixed_network: body.fixed_network ?? fields.fixed_network,
    fixed_subnet: body.fixed_subnet ?? fields.fixed_subnet,
    floating_ip_enabled: floating,
    master_lb_enabled: body.master_lb_enabled ?? fields.master_lb_enabled ?? true,
    user_id: context.userId,
  };
  const poolRecord: PoolRecord = {
    request,
    name: DEFAULT_WORKER,
    role: 'worker',
    flavor_id: flavor,
    labels: { ...effectiveLabels },
  };
  // An operator's template only describes settings that the plan determines.
  const driver = offer === undefined ? fields.network_driver : undefined;
  return {
    cluster: {
      apiVersion: API_VERSION,
      kind: clusters.kind,
      metadata: { name: metadataName, namespace: context.namespace, annotations: recordAnnotation(record) },
      spec: {
        ...labelSpec.cluster,
        ...(plan !== undefined && { plan }),
        ...offeredVersion(effectiveLabels, template),
        ...proxyOf(fields),
        network: { ...labelSpec.cluster.network, ...networkOf(context.networks, fields) },
        ...(driver !== undefined && { cni: { type: podNetworkOf(driver, knownPlan, context.nowMs) } }),
        ...(fields.image_id !== DEFAULT_IMAGE && { image: fields.image_id }),
      },
    },
    pool: {
      apiVersion: API_VERSION,
      kind: nodePools.kind,
      metadata: {
        name: workerPoolName(metadataName),
        namespace: context.namespace,
        annotations: recordAnnotation(poolRecord),
      },
      spec: {
        clusterName: metadataName,
        flavor,
        replicas: body.node_count ?? 1,
        ...labelSpec.pool,
        ...(floating && { floatingIPs: { enabled: true } }),
      },
    },
  };
}

/** Name of the first pool. */
export function workerPoolName(clusterName: string): string {
  return `${clusterName}-worker`;
}

/**
 * The version for the cluster. The operator's template represents a minor version and follows its patches; a tenant's
 * own tag is used as specified.
 */
function offeredVersion(effectiveLabels: Labels, { fields, offer }: Template): { readonly version?: string } {
  const tag = effectiveLabels['kube_tag'];
  const isOffered = tag === undefined || tag === fields.labels?.['kube_tag'];
  return offer && isOffered ? { version: offer.minor } : {};
}

function networkOf(ids: NetworkIds, { dns_nameserver }: TemplateFields) {
  const { network, subnet, external } = ids;
  if (subnet !== undefined && network === undefined) throw invalidInput('fixed_subnet requires fixed_network');
  const servers = splitList(dns_nameserver ?? '');
  return {
    ...(network !== undefined && { networkID: network }),
    ...(subnet !== undefined && { subnetID: subnet }),
    ...(external !== undefined && network === undefined && { gateway: { externalNetworkID: external } }),
    ...(servers.length > 0 && network === undefined && { dnsNameservers: servers }),
  };
}

/** Proxy settings for the nodes. */
function proxyOf({ http_proxy, https_proxy, no_proxy }: TemplateFields): Pick<NewCluster['spec'], 'proxy'> {
  if (!http_proxy && !https_proxy) return {};
  const noProxy = [...new Set(splitList(no_proxy ?? ''))];
  return {
    proxy: {
      ...(http_proxy && { httpProxy: http_proxy }),
      ...(https_proxy && { httpsProxy: https_proxy }),
      ...(noProxy.length > 0 && { noProxy }),
    },
  };
}

/** Networks from the body and the template. */
export function networkNames(body: ClusterBody, { fields }: Template): NetworkNames {
  return {
    network: body.fixed_network ?? fields.fixed_network,
    subnet: body.fixed_subnet ?? fields.fixed_subnet,
    external: fields.external_network_id,
  };
}
