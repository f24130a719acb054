import { API_VERSION, COMPLETE_ROTATION_ANNOTATION, ROTATE_CREDENTIALS_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
  MAX_KUBECONFIG_SECONDS,
} from '@fairway/api/kinds/kubeconfig-request';
import { formatTime } from '@fairway/base/clock';
import { ApiError } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { requireChangeableCluster } from '../clusters/change-routes.ts';
import { clusterRecord, recordAnnotation } from '../clusters/record.ts';
import { findCluster } from '../clusters/stored-cluster.ts';
import { optional, parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { invalidInput, MagnumError } from '../http/magnum-error.ts';
import { links } from '../http/representation.ts';

export const CERTIFICATE_ROUTES: readonly Route[] = [
  { method: 'GET', path: 'certificates/{cluster}', action: 'certificate:get', handle: show },
  { method: 'POST', path: 'certificates', action: 'certificate:create', handle: sign },
  { method: 'PATCH', path: 'certificates/{cluster}', action: 'certificate:rotate_ca', handle: rotate },
];

const CA_TYPES = ['kubernetes', 'kubelet', 'etcd', 'front-proxy'];

const CertificateBody = z.strictObject({
  cluster_uuid: z.string().min(1).max(255),
  csr: z.string().min(1).max(65_536),
  ca_cert_type: optional(z.string().max(255)),
});

async function show(call: Call): Promise<Reply> {
  checkType(call.query.get('ca_cert_type') ?? undefined);
  const { cluster } = await findCluster(call, param(call, 'cluster'));
  const { uid = '', name } = cluster.metadata;
  const { caCertificate: pem } = cluster.status ?? {};
  if (pem === undefined)
    throw new MagnumError(409, `Cluster ${name} has no certificate authority yet: its control plane is being created.`);
  return { status: 200, body: { cluster_uuid: uid, pem, links: links(call.url, 'certificates', uid) } };
}

/** Signs the CSR's key with the subject that the caller's kubeconfig would have; the CSR's own subject is ignored. */
async function sign(call: Call): Promise<Reply> {
  const { cluster_uuid, csr, ca_cert_type } = parseBody(CertificateBody, call.body);
  checkType(ca_cert_type);
  const cluster = await clusterOf(call, cluster_uuid);
  const { name = '', namespace = '', uid = '' } = cluster.metadata;
  const request: KubeconfigRequest = {
    apiVersion: API_VERSION,
    kind: KUBECONFIG_REQUEST_KIND.kind,
    metadata: { name, namespace },
    spec: { certificateRequest: csr, expirationSeconds: MAX_KUBECONFIG_SECONDS },
  };
  const issued = await call.client
    .resource(clusters)
    .createSubresource(name, KUBECONFIG_SUBRESOURCE, request, { namespace })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 422 ? invalidCsr(error) : error;
    });
  const pem = issued.status?.certificate;
  if (pem === undefined) throw new MagnumError(500, 'An unknown exception occurred.');
  return { status: 201, body: { cluster_uuid: uid, csr, pem, links: links(call.url, 'certificates', uid) } };
}

/** Throws 400 if the cluster does not exist, like Magnum. */
async function clusterOf(call: Call, ident: string): Promise<Cluster> {
  try {
    return (await findCluster(call, ident)).cluster;
  } catch (error) {
    throw error instanceof MagnumError && error.status === 404 ? invalidInput(error.message) : error;
  }
}

function invalidCsr(error: ApiError): MagnumError {
  const why = error.causes.map(({ message }) => message).join('; ');
  return new MagnumError(400, `Received invalid csr. ${why === '' ? error.message : why}`, { cause: error });
}

/** Starts Fairway's own rotation, which completes when every node trusts the new authorities. */
async function rotate(call: Call): Promise<Reply> {
  const { cluster } = await requireChangeableCluster(call, 'Rotating the CA');
  const { name = '', namespace = '', uid } = cluster.metadata;
  const { phase, rotation } = cluster.status?.credentials ?? {};
  if (phase !== undefined && phase !== 'Stable') {
    throw invalidInput(
      `Cluster ${name} already has an operation in progress: its certificate authorities are being rotated (${rotation}).`,
    );
  }
  const value = formatTime(call.clock.now());
  const annotations = {
    [ROTATE_CREDENTIALS_ANNOTATION]: value,
    [COMPLETE_ROTATION_ANNOTATION]: value,
    ...recordAnnotation({ ...clusterRecord(cluster), updated_at: value }),
  };
  await call.client
    .resource(clusters)
    .patch(name, { type: 'merge', value: { metadata: { annotations } } }, { namespace });
  return { status: 202, body: { uuid: uid } };
}

function checkType(type: string | undefined): void {
  if (type === undefined || type === 'kubernetes') return;
  if (!CA_TYPES.includes(type)) throw invalidInput(`ca_cert_type must be one of ${CA_TYPES.join(', ')}`);
  throw invalidInput(`ca_cert_type ${type} is not supported: Fairway does not publish that authority; use kubernetes`);
}
