import { customResourceDefinition } from '@fairway/api/crd/custom-resource-definition';
import { GROUP, IN_CLUSTER_LABEL } from '@fairway/api/group';
import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

const IN_CLUSTER_LABELS = { [IN_CLUSTER_LABEL]: 'true', 'app.kubernetes.io/managed-by': 'fairway' };

/** Fairway's objects in a cluster whose NodePools can be managed from inside it. */
export const DEFINITION: CustomResourceDefinition = marked(customResourceDefinition(inClusterNodePools));

export const DEFINITION_NAME = DEFINITION.metadata.name ?? '';

const READ_VERBS = ['get', 'list', 'watch'];
const WRITE_VERBS = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const { plural } = inClusterNodePools;

/** Nodes cost money: users who may only edit workloads get read access. */
export const ROLES: readonly ClusterRole[] = [
  role('fairway:node-pools:view', 'view', [
    { resources: [plural, `${plural}/status`, `${plural}/scale`], verbs: READ_VERBS },
  ]),
  role('fairway:node-pools:admin', 'admin', [
    { resources: [plural], verbs: WRITE_VERBS },
    { resources: [`${plural}/scale`], verbs: ['update', 'patch'] },
  ]),
];

function role(
  name: string,
  aggregateTo: string,
  rules: readonly { readonly resources: string[]; readonly verbs: string[] }[],
): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name,
      labels: { ...IN_CLUSTER_LABELS, [`rbac.authorization.k8s.io/aggregate-to-${aggregateTo}`]: 'true' },
    },
    rules: rules.map((rule) => ({ apiGroups: [GROUP], ...rule })),
  };
}

function marked(definition: CustomResourceDefinition): CustomResourceDefinition {
  const conversion = { strategy: 'None' };
  return {
    ...definition,
    metadata: { ...definition.metadata, labels: IN_CLUSTER_LABELS },
    spec: { ...definition.spec, conversion },
  };
}

/**
 * The state of the definition in a cluster:
 * - `missing`;
 * - `ending`: it is being deleted, along with its objects;
 * - `foreign`: it belongs to someone else, and Fairway leaves it alone;
 * - `drifted`: it is Fairway's, but differs from the desired definition;
 * - `pending`: it is not served yet;
 * - `served`.
 */
export type DefinitionState = 'missing' | 'ending' | 'foreign' | 'drifted' | 'pending' | 'served';

/** Pure. */
export function definitionState(live: CustomResourceDefinition | undefined): DefinitionState {
  if (live === undefined) return 'missing';
  if (live.metadata.labels?.[IN_CLUSTER_LABEL] === undefined) return 'foreign';
  if (live.metadata.deletionTimestamp !== undefined) return 'ending';
  const { preserveUnknownFields: _default, ...spec } = live.spec;
  if (!jsonEqual(spec, DEFINITION.spec)) return 'drifted';
  return isServed(live) ? 'served' : 'pending';
}

/**
 * The part of the definition in a cluster that Fairway caches: schemas are large, and a tenant may write any schema.
 */
export interface SeenDefinition extends KubeObject {
  readonly state: DefinitionState;
}

/** The resource type for clients. */
export const DEFINITIONS = CustomResourceDefinitions;

/** The resource type for an informer that uses `seenDefinition` as its trim function. */
export const SEEN_DEFINITIONS: ResourceType<SeenDefinition> = {
  group: CustomResourceDefinitions.group,
  version: CustomResourceDefinitions.version,
  plural: CustomResourceDefinitions.plural,
  kind: CustomResourceDefinitions.kind,
  namespaced: CustomResourceDefinitions.namespaced,
};

export function seenDefinition(live: KubeObject): SeenDefinition {
  const { name, uid, resourceVersion, generation } = live.metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
    },
    state: definitionState(live as CustomResourceDefinition),
  };
}

function isServed({ status }: CustomResourceDefinition): boolean {
  const hasCondition = (type: string) =>
    status?.conditions?.some((each) => each.type === type && each.status === 'True');
  return hasCondition('Established') === true && hasCondition('NamesAccepted') === true;
}

/** The desired definition, which replaces a drifted one and keeps the labels and annotations of other owners. */
export function repairedDefinition(live: CustomResourceDefinition): CustomResourceDefinition {
  return {
    ...live,
    apiVersion: DEFINITION.apiVersion ?? '',
    kind: CustomResourceDefinitions.kind,
    metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...IN_CLUSTER_LABELS } },
    spec: DEFINITION.spec,
  };
}
