import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type {
  CertificateSigningRequest,
  Node,
  PersistentVolumeClaim,
  Pod,
  TokenRequest,
} from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import { forbidden, notFound } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { AdmissionPlugin, AdmissionRequest } from '../server/admission.ts';
import { readableRequest } from './certificates/signers.ts';
import { labelsForbiddenToNodes } from './node-labels.ts';
import { isMirrorPod, podReferences } from './pod-references.ts';
import { nodeNameOf } from './well-known-users.ts';

const KUBELET_SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

/**
 * Restricts a node to its own objects (plugin/pkg/admission/noderestriction). The node authorizer decides by kind; this
 * plugin checks the objects, and limits the damage that a stolen node credential can do to what runs on that node.
 */
export function createNodeRestrictionPlugin(reader: ObjectReader): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    validate(request) {
      const node = nodeNameOf(request.user);
      if (node === undefined) return;
      const reason =
        node === '' ? `could not determine node from user "${request.user.username}"` : refusal(reader, node, request);
      if (reason === undefined) return;
      const { group, plural } = request.resource;
      throw forbidden({ group, resource: plural, name: request.name }, reason);
    },
  };
}

/** Why the node may not do this; undefined if it may. */
function refusal(reader: ObjectReader, node: string, request: AdmissionRequest): string | undefined {
  const { group, plural } = request.resource;
  switch (group === '' ? plural : `${plural}.${group}`) {
    case 'pods':
      return podRefusal(reader, node, request);
    case 'nodes':
      return nodeRefusal(node, request);
    case 'persistentvolumeclaims':
      return claimRefusal(node, request);
    case 'serviceaccounts':
      return tokenRefusal(reader, node, request);
    case 'leases.coordination.k8s.io':
      if (request.namespace !== 'kube-node-lease') {
        return 'can only access leases in the "kube-node-lease" system namespace';
      }
      return request.name === node ? undefined : 'can only access node lease with the same name as the requesting node';
    case 'csinodes.storage.k8s.io':
      return request.name === node ? undefined : 'can only access CSINode with the same name as the requesting node';
    case 'certificatesigningrequests.certificates.k8s.io':
      return certificateRefusal(node, request);
    default:
      return undefined;
  }
}

function podRefusal(reader: ObjectReader, node: string, request: AdmissionRequest): string | undefined {
  const { operation, subresource, object, oldObject } = request;
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return mirrorPodRefusal(reader, node, object as Pod);
      if (operation !== 'DELETE')
        return `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`;
      return runsOn(node, storedPod(reader, request))
        ? undefined
        : `node "${node}" can only delete pods with spec.nodeName set to itself`;
    case 'status':
      return podStatusRefusal(node, object as Pod, oldObject as Pod);
    case 'eviction':
      return runsOn(node, storedPod(reader, request))
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  }
}

function storedPod(reader: ObjectReader, { namespace, name }: AdmissionRequest): Pod {
  const pod = reader.get(Pods, namespace, name);
  if (pod === undefined) throw notFound({ resource: 'pods', name });
  return pod;
}

function runsOn(node: string, pod: Pod): boolean {
  return pod.spec.nodeName === node;
}

function mirrorPodRefusal(reader: ObjectReader, node: string, pod: Pod): string | undefined {
  if (!isMirrorPod(pod)) {
    return `pod does not have "kubernetes.io/config.mirror" annotation, node "${node}" can only create mirror pods`;
  }
  if (!runsOn(node, pod)) return `node "${node}" can only create pods with spec.nodeName set to itself`;
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node || others.length > 0) {
    return `node "${node}" can only create pods with a single owner reference set to itself`;
  }
  if (owner.controller !== true)
    return `node "${node}" can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  const uid = reader.get(Nodes, '', node)?.metadata.uid;
  if (owner.uid !== uid) return `node ${node} UID mismatch: expected ${uid} got ${owner.uid}`;
  const { secrets, configMaps, claims, serviceAccount } = podReferences(pod);
  const hasReferences = secrets.size + configMaps.size + claims.size > 0 || serviceAccount !== undefined;
  const hasClaims = (pod.spec.resourceClaims?.length ?? 0) > 0;
  return hasReferences || hasClaims ? `node "${node}" can not create pods that reference other API objects` : undefined;
}

function podStatusRefusal(node: string, pod: Pod, old: Pod): string | undefined {
  if (!runsOn(node, old)) return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  if (!jsonEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    return `node "${node}" cannot update labels through pod status`;
  }
  if (!jsonEqual(pod.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? [])) {
    return `node "${node}" cannot update resource claim statues`;
  }
  return undefined;
}

function nodeRefusal(node: string, { operation, name, object, oldObject }: AdmissionRequest): string | undefined {
  if (name !== node) return `node "${node}" is not allowed to modify node "${name}"`;
  const [requested, old] = [object as Node | undefined, oldObject as Node | undefined];
  if (operation === 'CREATE') {
    if (requested?.spec?.configSource !== undefined)
      return `node "${node}" is not allowed to create pods with a non-nil configSource`;
    const labels = labelsForbiddenToNodes(requested?.metadata.labels);
    return labels.length === 0
      ? undefined
      : `node "${node}" is not allowed to set the following labels: ${labels.join(', ')}`;
  }
  if (operation !== 'UPDATE' || requested === undefined) return undefined;
  const { configSource, taints = [] } = requested.spec ?? {};
  if (configSource !== undefined && !jsonEqual(configSource, old?.spec?.configSource)) {
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!jsonEqual(taints, old?.spec?.taints ?? [])) return `node "${node}" is not allowed to modify taints`;
  if (!jsonEqual(requested.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? [])) {
    return `node "${node}" is not allowed to modify ownerReferences`;
  }
  const labels = labelsForbiddenToNodes(requested.metadata.labels, old?.metadata.labels);
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`;
}

function claimRefusal(
  node: string,
  { operation, subresource, object, oldObject }: AdmissionRequest,
): string | undefined {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  if (jsonEqual(withoutResizing(object), withoutResizing(oldObject))) return undefined;
  return `node "${node}" is not allowed to update fields other than status.capacity and status.conditions`;
}

/** A claim without the fields that a node sets while expanding a volume. */
function withoutResizing(claim: KubeObject | undefined): unknown {
  const { metadata, status, ...rest } = claim as PersistentVolumeClaim;
  const { resourceVersion: _version, managedFields: _managed, ...keptMetadata } = metadata;
  const { capacity: _capacity, conditions: _conditions, allocatedResources: _allocated, ...keptStatus } = status ?? {};
  delete keptStatus.allocatedResourceStatuses;
  return { ...rest, metadata: keptMetadata, status: keptStatus };
}

function tokenRefusal(
  reader: ObjectReader,
  node: string,
  { operation, subresource, namespace, object }: AdmissionRequest,
): string | undefined {
  if (operation !== 'CREATE' || subresource !== 'token') return undefined;
  const reference = (object as TokenRequest).spec.boundObjectRef;
  if (reference?.apiVersion !== 'v1' || reference.kind !== 'Pod' || !reference.name) {
    return 'node requested token not bound to a pod';
  }
  if (!reference.uid) return 'node requested token with a pod binding without a uid';
  const pod = reader.get(Pods, namespace, reference.name);
  if (pod === undefined) throw notFound({ resource: 'pods', name: reference.name });
  if (pod.metadata.uid !== reference.uid) {
    return `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  return runsOn(node, pod) ? undefined : 'node requested token bound to a pod scheduled on a different node';
}

function certificateRefusal(node: string, { operation, subresource, object }: AdmissionRequest): string | undefined {
  if (operation !== 'CREATE' || subresource !== '') return undefined;
  const { spec } = object as CertificateSigningRequest;
  if (!KUBELET_SIGNERS.includes(spec.signerName)) return undefined;
  const request = readableRequest(spec);
  return request === undefined || request.commonName === `system:node:${node}`
    ? undefined
    : `can only create a node CSR with CN=system:node:${node}`;
}
