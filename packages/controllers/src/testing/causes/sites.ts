/**
 * Places in the code for starts and deletions that report that someone other than Fairway must act. For each file and
 * reason: the row in the table of causes that triggers it there, or, after `-`, why there is none.
 */
export const WAIT_SITES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'controllers/cluster/control-plane.ts': { ControlPlaneFailed: 'The control plane has no disk' },
  'controllers/cluster/gateway-change.ts': {
    AddressesExhausted: '- for a change to a cluster that keeps running unchanged',
    GatewayMissing: '- for a change to a cluster that keeps running unchanged (behaviour/network-changes.test.ts)',
  },
  'controllers/cluster/guest-deletion.ts': {
    CloudBusy: '- with the same message as for a load balancer of its own',
  },
  'controllers/cluster/hibernation-status.ts': {
    Hibernated: 'The cluster is hibernated',
    QuotaExceeded: 'The quota has no room for the nodes of a hibernated cluster',
  },
  'controllers/cluster/remaining-resources.ts': {
    ResourceInUse: 'Nova does not delete the server group of a deleted cluster',
  },
  'controllers/cluster/load-balancer-deletion.ts': {
    CloudBusy: 'Octavia does not finish changing a load balancer of a deleted cluster',
  },
  'controllers/cluster/network-holds.ts': {
    ResourceInUse: 'A port of the tenant is in the network of a deleted cluster',
  },
  'controllers/cluster/plan-admission.ts': {
    PlanLimitExceeded: 'The namespace has as many clusters as the plan allows',
    PlanNotReady: 'The plan of a new cluster contradicts itself',
  },
  'controllers/cluster/plan-claim.ts': {
    PlanLimitExceeded: 'The namespace has as many clusters as the plan allows',
    ProjectQuotaExceeded: 'The project has as many clusters as its quota allows',
  },
  'controllers/cluster/reconciler.ts': { PlanNotFound: 'The plan is gone' },
  'controllers/cluster/status.ts': { Hibernated: 'The cluster is hibernated' },
  'controllers/cluster/version-problems.ts': {
    Hibernated: 'The cluster is hibernated',
    NodesTooOld: 'Nodes are too old for the requested version',
    RolloutHalted: 'The rollout of a patch is stopped',
    UpdateAvailable: 'A patch waits because of updatePolicy',
  },
  'controllers/cluster/volume-holds.ts': {
    CloudBusy: '- requires a state that lasts more than five minutes (cluster/volume-holds.test.ts)',
    DeletionFailed: 'Cinder fails to delete a volume of a deleted cluster',
    SnapshotsExist: 'A volume of a deleted cluster has a snapshot of the tenant',
    VolumeInUse: 'A volume of a deleted cluster is attached to another server',
  },
  'controllers/machine/drain-hold.ts': { DrainHeld: 'A PodDisruptionBudget blocks a node update' },
  'controllers/machine/floating-ip.ts': {
    ServerFailed: '- the node works without one, and FloatingIPReady reports it',
  },
  'controllers/machine/inspection.ts': {
    KeepRefused: '- an invalid request by a user (behaviour/inspection.test.ts)',
    KeepRequested: '- requested by a user (behaviour/inspection.test.ts)',
  },
  'controllers/machine/port.ts': {
    SettingsNotEnforced: '- admission refuses such networks (behaviour/existing-network.test.ts)',
  },
  'controllers/machine/reconciler.ts': { ServerVanished: '- healing replaces it (behaviour/lost-servers.test.ts)' },
  'controllers/machine/reinstall.ts': {
    ReinstallNotSupported: 'The cloud cannot reinstall a server that boots from a volume',
    ServerFailed: '- healing replaces it (behaviour/reinstall.test.ts)',
    ServerLocked: 'A server to be reinstalled is locked',
    ServerStopped: 'A server was stopped',
  },
  'controllers/machine/server-holds.ts': {
    CloudBusy: 'Nova does not finish deleting a server of a deleted cluster',
    DeletionFailed: '- for a server in ERROR (machine/server-holds.test.ts)',
    ServerLocked: 'A cluster is deleted, and somebody has locked a server of it',
  },
  'controllers/machine/server.ts': {
    AddressesExhausted: '- for a network of the tenant (behaviour/existing-network.test.ts)',
    AntiAffinityUnsatisfiable: 'No other hypervisor is available for a pool with anti-affinity',
    FlavorNotFound: 'A flavor is gone',
    FlavorOutOfStock: 'A flavor is out of stock',
    QuotaExceeded: 'The quota of instances is used up',
    ServerFailed: 'A server ends in ERROR',
  },
  'controllers/machine/startup.ts': { NodeStartupTimeout: 'A server has not joined' },
  'controllers/machine/status.ts': {
    ServerFailed: '- healing replaces it (behaviour/lost-servers.test.ts)',
    ServerStopped: 'A server was stopped',
  },
  'controllers/node-pool/autoscaled-condition.ts': {
    ConfigurationInvalid: '- the pool keeps its size, and Autoscaled reports it (node-pool/status.test.ts)',
  },
  'controllers/node-pool/blocker.ts': {
    ClusterNotFound: 'The cluster of a pool is gone',
    ConfigurationInvalid: '- admission refuses it first (gateway/src/behaviour/admission/fairway-admission.test.ts)',
  },
  'controllers/node-pool/plan-allowance.ts': {
    PlanLimitExceeded: 'The plan no longer allows the flavor of a pool that grows',
  },
  'controllers/node-pool/pool-share.ts': {
    AddressesExhausted: 'A range has no room for the nodes',
    GatewayMissing: 'Floating IPs without a router',
    PlanLimitExceeded: 'The pools of a cluster request more nodes than the plan allows',
  },
  'controllers/node-pool/project-share.ts': {
    ProjectQuotaExceeded: 'The pools of a project request more nodes than its quota allows',
  },
  'controllers/node-pool/template-in-cloud.ts': {
    ImageNotFound: 'An image is gone',
    PlanLimitExceeded: '- for networks, the same as for flavors (behaviour/additional-networks.test.ts)',
  },
  'controllers/pause.ts': { Paused: 'A paused cluster is deleted' },
  'controllers/gc/missing-clusters/cluster-gc.ts': {
    CloudUnavailable: '- no object is left to report it, so an Event does (behaviour/missing-clusters.test.ts)',
  },
  'tenancy/cloud/cloud-problem.ts': {
    CloudUnavailable: 'Neutron is away',
    ConfigurationInvalid: '- an invalid request by Fairway itself (tenancy/src/cloud/cloud-problem.test.ts)',
    CredentialInvalid: 'The credential is wrong, expired or revoked',
    FlavorOutOfStock: 'A flavor is out of stock',
    PermissionDenied: 'The credential may not create networks',
    QuotaExceeded: 'The quota of networks is used up',
    RateLimited: 'Nova limits rates',
    ResourceInUse: 'The cloud refuses to delete the network of a deleted cluster',
  },
  'tenancy/cloud/known-refusals.ts': {
    AddressRangeOverlap: 'A subnet of the tenant overlaps the pod network',
    AddressesExhausted: 'A range has no room for the nodes',
    QuotaExceeded: 'The quota of ports is used up',
    VolumeTypeNotFound: 'A type of volume is gone',
    ZoneNotFound: 'An availability zone is gone',
  },
  'tenancy/cloud/server-removal.ts': {
    PermissionDenied: 'Nova keeps a server of a deleted cluster that it reports as deleted',
  },
  'tenancy/connection/tenant-problem.ts': { ControlPlaneFailed: "The cluster's API server refuses Fairway" },
  'tenancy/credentials/credential-problem.ts': {
    ConfigurationInvalid: '- admission refuses it first (gateway/src/behaviour/admission/fairway-admission.test.ts)',
    CredentialInvalid: 'A CloudCredential is gone',
  },
  'tenancy/reconcile/runtime-problem.ts': { ControlPlaneFailed: 'The control plane has no disk' },
};
