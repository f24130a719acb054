import type {
  FlowcontrolV1Subject,
  FlowSchema,
  LimitResponse,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
} from '@fairway/kube/kinds/generated/types';

/** Objects that kube-apiserver maintains in every cluster: mandatory ones always, suggested ones unless a user edited them. */
export interface StandardObjects {
  readonly flowSchemas: readonly FlowSchema[];
  readonly priorityLevels: readonly PriorityLevelConfiguration[];
}

export const EXEMPT = 'exempt';
export const CATCH_ALL = 'catch-all';

const ALL_RESOURCES: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
const ALL_PATHS: NonResourcePolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] };

function user(name: string): FlowcontrolV1Subject {
  return { kind: 'User', user: { name } };
}

function group(name: string): FlowcontrolV1Subject {
  return { kind: 'Group', group: { name } };
}

const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];
const NODES = [group('system:nodes')];
const CONTROLLER_MANAGER = user('system:kube-controller-manager');
const SCHEDULER = user('system:kube-scheduler');
const KUBE_SYSTEM: FlowcontrolV1Subject = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name: '*' },
};

function everything(...subjects: FlowcontrolV1Subject[]): PolicyRulesWithSubjects {
  return { subjects, resourceRules: [ALL_RESOURCES], nonResourceRules: [ALL_PATHS] };
}

function leases(verbs: string[]): ResourcePolicyRule {
  return { verbs, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
}

function flowSchema(
  name: string,
  level: string,
  matchingPrecedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  ...rules: PolicyRulesWithSubjects[]
): FlowSchema {
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher && { distinguisherMethod: { type: distinguisher } }),
      rules,
    },
  };
}

function queueing(queues: number, handSize: number): LimitResponse {
  return { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } };
}

function limited(
  name: string,
  nominalConcurrencyShares: number,
  lendablePercent: number,
  limitResponse: LimitResponse,
): PriorityLevelConfiguration {
  return {
    metadata: { name },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } },
  };
}

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#mandatory-configuration-objects */
export const MANDATORY_OBJECTS: StandardObjects = {
  priorityLevels: [
    {
      metadata: { name: EXEMPT },
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    },
    limited(CATCH_ALL, 5, 0, { type: 'Reject' }),
  ],
  flowSchemas: [
    flowSchema(EXEMPT, EXEMPT, 1, undefined, everything(group('system:masters'))),
    flowSchema(CATCH_ALL, CATCH_ALL, 10_000, 'ByUser', everything(...EVERYBODY)),
  ],
};

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#suggested-configuration-objects */
export const SUGGESTED_OBJECTS: StandardObjects = {
  priorityLevels: [
    limited('system', 30, 33, queueing(64, 6)),
    limited('node-high', 40, 25, queueing(64, 6)),
    limited('leader-election', 10, 0, queueing(16, 4)),
    limited('workload-high', 40, 50, queueing(128, 6)),
    limited('workload-low', 100, 90, queueing(128, 6)),
    limited('global-default', 20, 50, queueing(128, 6)),
  ],
  flowSchemas: [
    flowSchema('probes', EXEMPT, 2, undefined, {
      subjects: EVERYBODY,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
    flowSchema('system-leader-election', 'leader-election', 100, 'ByUser', {
      subjects: [CONTROLLER_MANAGER, SCHEDULER, KUBE_SYSTEM],
      resourceRules: [leases(['get', 'create', 'update'])],
    }),
    flowSchema('system-node-high', 'node-high', 400, 'ByUser', {
      subjects: NODES,
      resourceRules: [{ ...ALL_RESOURCES, apiGroups: [''], resources: ['nodes', 'nodes/status'] }, leases(['*'])],
    }),
    flowSchema('system-nodes', 'system', 500, 'ByUser', everything(...NODES)),
    flowSchema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', everything(CONTROLLER_MANAGER)),
    flowSchema('kube-scheduler', 'workload-high', 800, 'ByNamespace', everything(SCHEDULER)),
    flowSchema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', everything(KUBE_SYSTEM)),
    flowSchema('service-accounts', 'workload-low', 9000, 'ByUser', everything(group('system:serviceaccounts'))),
    flowSchema('global-default', 'global-default', 9900, 'ByUser', everything(...EVERYBODY)),
  ],
};
