import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { CILIUM_GROUP, DEFINED_KINDS, KINDS_WITH_STATUS, READ_VERBS } from './kinds.ts';

type Rules = NonNullable<ClusterRole['rules']>;

const definitions = (plurals: readonly string[]) => plurals.map((plural) => `${plural}.${CILIUM_GROUP}`);
const ciliumRule = (resources: string[], verbs: string[]) => ({ apiGroups: [CILIUM_GROUP], resources, verbs });

/**
 * Permissions in all namespaces. All Cilium release lines share one list, because two of them run during an upgrade.
 */
export const OPERATOR_RULES: Rules = [
  { apiGroups: [''], resources: ['pods', 'namespaces', 'serviceaccounts', 'services', 'endpoints'], verbs: READ_VERBS },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ_VERBS },
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  // It removes the start-up taint, and marks the network as available.
  { apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['services/status'], verbs: ['update', 'patch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['create', ...READ_VERBS] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: definitions(DEFINED_KINDS),
    verbs: ['update'],
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions/status'],
    resourceNames: definitions(KINDS_WITH_STATUS),
    verbs: ['update'],
  },
  ciliumRule(
    ['ciliumnetworkpolicies', 'ciliumclusterwidenetworkpolicies'],
    [...READ_VERBS, 'create', 'update', 'patch', 'deletecollection'],
  ),
  ciliumRule(['ciliumnetworkpolicies/status', 'ciliumclusterwidenetworkpolicies/status'], ['patch', 'update']),
  ciliumRule(['ciliumendpoints', 'ciliumidentities'], ['list', 'watch', 'delete']),
  ciliumRule(['ciliumidentities'], ['update']),
  ciliumRule(['ciliumnodes'], [...READ_VERBS, 'create', 'update', 'delete']),
  ciliumRule(['ciliumnodes/status'], ['update']),
  ciliumRule(
    ['ciliumendpointslices', 'ciliumenvoyconfigs', 'ciliumcidrgroups', ...KINDS_WITH_STATUS],
    [...READ_VERBS, 'create', 'update', 'patch', 'delete'],
  ),
  ciliumRule(['ciliumendpointslices'], ['deletecollection']),
  ciliumRule(['ciliumbgpclusterconfigs/status', 'ciliumbgppeerconfigs/status'], ['update']),
  ciliumRule(
    ['ciliumbgppeeringpolicies', 'ciliumdatapathplugins', 'ciliumloadbalancerippools', 'ciliumpodippools'],
    READ_VERBS,
  ),
  ciliumRule(['ciliumpodippools'], ['create']),
  ciliumRule(['ciliumloadbalancerippools/status'], ['patch']),
];

/** Permissions in the add-ons' namespace. */
export function operatorLocalRules(configName: string): Rules {
  return [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [configName], verbs: ['patch'] },
    // 1.19 checks for leftovers of an experimental proxy.
    { apiGroups: ['apps'], resources: ['daemonsets'], verbs: READ_VERBS },
  ];
}
