import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { CILIUM_GROUP, DEFINED, DEFINED_WITH_STATUS, READ_VERBS } from './kinds.ts';

type Rules = NonNullable<ClusterRole['rules']>;

const definitions = (plurals: readonly string[]) => plurals.map((plural) => `${plural}.${CILIUM_GROUP}`);
const own = (resources: string[], verbs: string[]) => ({ apiGroups: [CILIUM_GROUP], resources, verbs });

/** In all namespaces. One list for all lines of Cilium: during an upgrade, two of them run. */
export const OPERATOR_RULES: Rules = [
  { apiGroups: [''], resources: ['pods', 'namespaces', 'serviceaccounts', 'services', 'endpoints'], verbs: READ_VERBS },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ_VERBS },
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  // It removes the start-up taint, and reports that the network is available.
  { apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['services/status'], verbs: ['update', 'patch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['create', ...READ_VERBS] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: definitions(DEFINED),
    verbs: ['update'],
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions/status'],
    resourceNames: definitions(DEFINED_WITH_STATUS),
    verbs: ['update'],
  },
  own(
    ['ciliumnetworkpolicies', 'ciliumclusterwidenetworkpolicies'],
    [...READ_VERBS, 'create', 'update', 'patch', 'deletecollection'],
  ),
  own(['ciliumnetworkpolicies/status', 'ciliumclusterwidenetworkpolicies/status'], ['patch', 'update']),
  own(['ciliumendpoints', 'ciliumidentities'], ['list', 'watch', 'delete']),
  own(['ciliumidentities'], ['update']),
  own(['ciliumnodes'], [...READ_VERBS, 'create', 'update', 'delete']),
  own(['ciliumnodes/status'], ['update']),
  own(
    ['ciliumendpointslices', 'ciliumenvoyconfigs', 'ciliumcidrgroups', ...DEFINED_WITH_STATUS],
    [...READ_VERBS, 'create', 'update', 'patch', 'delete'],
  ),
  own(['ciliumendpointslices'], ['deletecollection']),
  own(['ciliumbgpclusterconfigs/status', 'ciliumbgppeerconfigs/status'], ['update']),
  own(
    ['ciliumbgppeeringpolicies', 'ciliumdatapathplugins', 'ciliumloadbalancerippools', 'ciliumpodippools'],
    READ_VERBS,
  ),
  own(['ciliumpodippools'], ['create']),
  own(['ciliumloadbalancerippools/status'], ['patch']),
];

/** In the namespace of add-ons. */
export function operatorLocalRules(configName: string): Rules {
  return [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [configName], verbs: ['patch'] },
    // 1.19 checks for leftovers of an experimental proxy.
    { apiGroups: ['apps'], resources: ['daemonsets'], verbs: READ_VERBS },
  ];
}
