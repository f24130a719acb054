import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PersistentVolume, Pod } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes, Pods, VolumeAttachments } from '@fairway/kube/kinds/resources';
import { parseFieldSelector, requiredFieldValue } from '@fairway/kube/object/field-selector';
import { componentRoles } from './bootstrap-policy/component-roles.ts';
import { isMirrorPod, podReferences } from './pod-references.ts';
import { ruleAllows } from './rbac-rules.ts';
import { isResourceRequest } from './request-attributes.ts';
import type { Authorizer, Decision, RequestAttributes, ResourceAttributes } from './user.ts';
import { nodeNameOf } from './well-known-users.ts';

const ALLOWED: Decision = { allowed: true, reason: '' };
const READ = ['get', 'list', 'watch'];
const OWN_OBJECT_VERBS = ['get', 'create', 'update', 'patch', 'delete'];
const NODE_RULES = componentRoles['system:node'] ?? [];

/**
 * What a node may access (plugin/pkg/auth/authorizer/node): its own Node, Lease and CSINode, the pods bound to it, and
 * whatever those pods reference. Upstream keeps a graph of these references; this authorizer scans the pods of the
 * namespace in question, which is cheap for nodes with few pods. It allows create requests that it can't decide by
 * name, leaving them to the NodeRestriction admission plugin: use both or neither.
 */
export function createNodeAuthorizer(reader: ObjectReader): Authorizer {
  return {
    authorize(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return denied('');
      if (node === '') return denied(`unknown node for user ${JSON.stringify(attributes.user.username)}`);
      const response = isResourceRequest(attributes) ? authorizeNodeScoped(reader, node, attributes) : undefined;
      return response ?? authorizeShared(attributes);
    },
  };
}

/**
 * Makes the decision for kinds whose objects belong to nodes; undefined for other kinds, which all nodes may use
 * equally.
 */
function authorizeNodeScoped(reader: ObjectReader, node: string, attributes: ResourceAttributes): Decision | undefined {
  const { group, resource, subresource } = attributes;
  switch (group === '' ? resource : `${resource}.${group}`) {
    case 'secrets':
    case 'configmaps':
      return authorizeReference(reader, node, attributes, READ);
    case 'persistentvolumeclaims':
      if (subresource === 'status') return authorizeReference(reader, node, attributes, ['update', 'patch'], 'status');
      return authorizeReference(reader, node, attributes, ['get']);
    case 'persistentvolumes':
      return authorizeReference(reader, node, attributes, ['get']);
    case 'volumeattachments.storage.k8s.io':
      return authorizeReference(reader, node, attributes, ['get']);
    case 'serviceaccounts':
      if (attributes.verb === 'get') return authorizeReference(reader, node, attributes, ['get']);
      return authorizeReference(reader, node, attributes, ['create'], 'token');
    case 'leases.coordination.k8s.io':
      if (attributes.namespace !== 'kube-node-lease') {
        return denied('can only access leases in the "kube-node-lease" system namespace');
      }
      return authorizeOwn(node, attributes, 'node lease');
    case 'csinodes.storage.k8s.io':
      return authorizeOwn(node, attributes, 'CSINode');
    case 'nodes':
      return authorizeNode(node, attributes);
    case 'pods':
      return authorizePod(reader, node, attributes);
    default:
      return undefined;
  }
}

function authorizeShared(attributes: RequestAttributes): Decision {
  return NODE_RULES.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : denied('');
}

function authorizeReference(
  reader: ObjectReader,
  node: string,
  attributes: ResourceAttributes,
  verbs: readonly string[],
  subresource = '',
): Decision {
  if (!verbs.includes(attributes.verb)) return denied(`can only ${verbs.join(', ')} resources of this type`);
  if (attributes.subresource !== subresource) return denied(`cannot ${attributes.verb} this subresource`);
  if (attributes.name === '') return denied('No Object name found');
  if (isRelated(reader, node, attributes)) return ALLOWED;
  return denied(`no relationship found between node '${node}' and this object`);
}

function isRelated(reader: ObjectReader, node: string, { resource, namespace, name }: ResourceAttributes): boolean {
  switch (resource) {
    case 'secrets':
      return (
        hasPod(reader, node, namespace, (pod) => podReferences(pod).secrets.has(name)) ||
        isVolumeSecret(reader, node, namespace, name)
      );
    case 'configmaps':
      return hasPod(reader, node, namespace, (pod) => podReferences(pod).configMaps.has(name));
    case 'persistentvolumeclaims':
      return hasPod(reader, node, namespace, (pod) => podReferences(pod).claims.has(name));
    case 'serviceaccounts':
      return hasPod(reader, node, namespace, (pod) => podReferences(pod).serviceAccount === name);
    case 'persistentvolumes': {
      const volume = reader.get(PersistentVolumes, '', name);
      return volume !== undefined && isClaimedOn(reader, node, volume);
    }
    case 'volumeattachments':
      return reader.get(VolumeAttachments, '', name)?.spec.nodeName === node;
    case 'pods':
      return reader.get(Pods, namespace, name)?.spec.nodeName === node;
    default:
      return false;
  }
}

function hasPod(reader: ObjectReader, node: string, namespace: string, test: (pod: Pod) => boolean): boolean {
  return reader.list(Pods, namespace).some((pod) => pod.spec.nodeName === node && !isMirrorPod(pod) && test(pod));
}

function isClaimedOn(reader: ObjectReader, node: string, { spec }: PersistentVolume): boolean {
  const { namespace = '', name = '' } = spec.claimRef ?? {};
  return name !== '' && hasPod(reader, node, namespace, (pod) => podReferences(pod).claims.has(name));
}

/** A Secret that the node needs to mount a volume for one of its pods. */
function isVolumeSecret(reader: ObjectReader, node: string, namespace: string, name: string): boolean {
  return reader.list(PersistentVolumes).some((volume) => {
    const { csi, claimRef } = volume.spec;
    const references = [
      csi?.nodePublishSecretRef,
      csi?.nodeStageSecretRef,
      csi?.nodeExpandSecretRef,
      volume.spec.rbd?.secretRef,
      volume.spec.cephfs?.secretRef,
      volume.spec.iscsi?.secretRef,
    ];
    const isReferenced = references.some(
      (ref) => ref?.name === name && (ref.namespace || claimRef?.namespace) === namespace,
    );
    return isReferenced && isClaimedOn(reader, node, volume);
  });
}

/** Objects named after their node. The name of an object that is being created is checked at admission. */
function authorizeOwn(node: string, { verb, name, subresource }: ResourceAttributes, what: string): Decision {
  if (!OWN_OBJECT_VERBS.includes(verb)) return denied(`can only get, create, update, patch, or delete a ${what}`);
  if (subresource !== '') return denied(`cannot authorize ${what} subresources`);
  if (verb !== 'create' && name !== node)
    return denied(`can only access ${what} with the same name as the requesting node`);
  return ALLOWED;
}

function authorizeNode(node: string, { verb, name, subresource }: ResourceAttributes): Decision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : denied('');
  if (subresource !== '') return denied('');
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOWED;
  if (!READ.includes(verb)) return denied('');
  if (name === node) return ALLOWED;
  if (name === '') return denied(`node '${node}' cannot read all nodes, only its own Node object`);
  return denied(`node '${node}' cannot read '${name}', only its own Node object`);
}

function authorizePod(reader: ObjectReader, node: string, attributes: ResourceAttributes): Decision {
  const { verb, subresource, name, fieldSelector = '' } = attributes;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : denied('');
  if (subresource === 'eviction') return verb === 'create' ? ALLOWED : denied('');
  if (subresource !== '') return denied('');
  switch (verb) {
    case 'create':
    case 'delete':
      return ALLOWED;
    case 'get':
      return authorizeReference(reader, node, attributes, READ);
    case 'list':
    case 'watch':
      if (requiredFieldValue(parseFieldSelector(fieldSelector), 'spec.nodeName') === node) return ALLOWED;
      if (name !== '') return authorizeReference(reader, node, attributes, READ);
      return denied('can only list/watch pods with spec.nodeName field selector');
    default:
      return denied('');
  }
}

function denied(reason: string): Decision {
  return { allowed: false, reason };
}
