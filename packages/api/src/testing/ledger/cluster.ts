import { acts, entryProvenBy, type FieldLedger, notYet } from './entry.ts';

const ADMISSION_TEST = 'packages/api/src/admission/admission.test.ts';

const VERSION_CHOICE_TEST = 'packages/controllers/src/cluster/version-choice.test.ts';

const ADDONS_TEST = 'packages/controllers/src/behaviour/addons.test.ts';

const CANAL_TEST = 'packages/controllers/src/behaviour/canal.test.ts';

/** The test has one row per field. */
const UNAPPLIED_FIELDS_TEST = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const EXTERNAL_AUTOSCALER_TEST = 'packages/external-autoscaler/src/behaviour/server.test.ts';

const SPEC_FIELDS_TEST = 'packages/controllers/src/behaviour/spec-fields.test.ts';

const KEYSTONE_USERS_TEST = 'packages/controllers/src/behaviour/keystone-users.test.ts';
const EXISTING_NETWORK_TEST = 'packages/controllers/src/behaviour/existing-network.test.ts';
const HIBERNATION_TEST = 'packages/api/src/domain/hibernation.test.ts';
const MAINTENANCE_GATE_TEST = 'packages/api/src/domain/maintenance-gate.test.ts';
const RESET_TEST = 'packages/api/src/domain/reset.test.ts';
const NETWORK_CHANGES_TEST = 'packages/controllers/src/behaviour/network-changes.test.ts';

const CLUSTER_FIELD_TITLE = '$field of a cluster is set on its nodes';
const NODE_FIELDS_TEST = 'packages/controllers/src/behaviour/spec-fields.test.ts';

export const CLUSTER_FIELDS: FieldLedger = {
  'spec.registryMirrors[].registry': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.registryMirrors[].mirrors[].url': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.registryMirrors[].mirrors[].certificateAuthority': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.proxy.httpProxy': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.proxy.httpsProxy': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.proxy.noProxy': acts(NODE_FIELDS_TEST, CLUSTER_FIELD_TITLE),
  'spec.plan': acts(SPEC_FIELDS_TEST, 'a cluster uses the plan, version and image that it specifies'),
  'spec.version': acts(VERSION_CHOICE_TEST, 'runs $gets if it requests $version, regardless of the policy'),
  'spec.region': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.updatePolicy': acts(
    VERSION_CHOICE_TEST,
    'is given the patch in its slot under $updatePolicy, isSeamless $isSeamless: $takes',
  ),
  'spec.credentialName': acts(
    'packages/controllers/src/behaviour/credential-expiry.test.ts',
    'is reported once per notice, on time and across restarts, on the credential and its clusters',
  ),
  'spec.network.networkID': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'may be a tenant’s network, which is left unchanged',
  ),
  'spec.network.subnetID': acts(
    EXISTING_NETWORK_TEST,
    'have addresses in the cluster’s specified subnet, and its security group',
  ),
  'spec.network.loadBalancersSubnetID': acts(
    EXISTING_NETWORK_TEST,
    'can be combined with a separate subnet for load balancers, which must exist',
  ),
  'spec.network.nodesCIDR': acts(SPEC_FIELDS_TEST, "the nodes' range is the cluster's, or otherwise the plan's"),
  'spec.network.gateway.mode': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'may be a tenant’s network, which is left unchanged',
  ),
  'spec.network.gateway.externalNetworkID': acts(NETWORK_CHANGES_TEST, 'a different external network'),
  'spec.network.gateway.routerID': acts(
    NETWORK_CHANGES_TEST,
    'a different router, which remains when the cluster is deleted',
  ),
  'spec.network.gateway.address': acts(NETWORK_CHANGES_TEST, 'an existing gateway, and then another one'),
  'spec.network.podRoutes': acts(
    'packages/cloud-provider/src/behaviour/routes/routes.test.ts',
    'has a route to each node, whose port allows traffic from pods and whose condition reports the route',
  ),
  'spec.network.dnsNameservers': acts(NETWORK_CHANGES_TEST, 'name servers, including their removal'),
  'spec.podCIDR': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.serviceCIDR': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.kubeProxy.mode': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.iptables.minSyncPeriod': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.iptables.syncPeriod': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.minSyncPeriod': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.syncPeriod': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.scheduler': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.tcpTimeout': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.tcpFinTimeout': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.kubeProxy.ipvs.udpTimeout': acts(ADDONS_TEST, 'configures kube-proxy with its $field'),
  'spec.cni.type': acts(CANAL_TEST, 'has Canal for plan $plan with $spec: $has'),
  'spec.cni.cilium.clusterID': notYet(UNAPPLIED_FIELDS_TEST, 'spec.cni.cilium.clusterID ('),
  'spec.cni.cilium.clusterMesh.enabled': notYet(UNAPPLIED_FIELDS_TEST, 'spec.cni.cilium.clusterMesh.enabled ('),
  'spec.cni.cilium.clusterMesh.apiServer.serviceType': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.clusterMesh.apiServer.serviceType (',
  ),
  'spec.cni.cilium.clusterMesh.apiServer.nodePort': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.clusterMesh.apiServer.nodePort (',
  ),
  'spec.cni.cilium.hubble.enabled': notYet(UNAPPLIED_FIELDS_TEST, 'spec.cni.cilium.hubble.enabled ('),
  'spec.cni.cilium.hubble.relay.enabled': notYet(UNAPPLIED_FIELDS_TEST, 'spec.cni.cilium.hubble.relay.enabled ('),
  'spec.cni.cilium.hubble.ui.enabled': notYet(UNAPPLIED_FIELDS_TEST, 'spec.cni.cilium.hubble.ui.enabled ('),
  'spec.cni.cilium.hubble.ui.backendResources.limits.cpu': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.backendResources.limits.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.limits.memory': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.backendResources.limits.memory (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.requests.cpu': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.backendResources.requests.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.requests.memory': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.backendResources.requests.memory (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.limits.cpu': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.frontendResources.limits.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.limits.memory': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.frontendResources.limits.memory (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.requests.cpu': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.frontendResources.requests.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.requests.memory': notYet(
    UNAPPLIED_FIELDS_TEST,
    'spec.cni.cilium.hubble.ui.frontendResources.requests.memory (',
  ),
  'spec.apiServer.admissionPlugins.enabled': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.admissionPlugins.disabled': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.allowedCIDRs': entryProvenBy(
    'acts',
    'tests/process-allow-list.test.ts',
    'of a control plane on this machine',
    'its runtime is queried without an API server in between',
  ),
  'spec.apiServer.oidc.issuerURL': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.clientID': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.usernameClaim': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.usernamePrefix': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.groupsClaims': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.groupsPrefix': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.requiredClaims': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.oidc.signingAlgorithms': notYet(UNAPPLIED_FIELDS_TEST, 'spec.apiServer.oidc.signingAlgorithms ('),
  'spec.apiServer.oidc.certificateAuthority': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.audit.level': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.audit.reads': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.apiServer.keystone.projects': acts(KEYSTONE_USERS_TEST, 'admits projects with $field set'),
  'spec.apiServer.keystone.roles': acts(KEYSTONE_USERS_TEST, 'grants permissions to roles with $field set'),
  'spec.apiServer.keystone.policy': acts(
    KEYSTONE_USERS_TEST,
    'grants additional permissions only to roles that its policy lists',
  ),
  'spec.autoscaler.mode': acts(EXTERNAL_AUTOSCALER_TEST, 'is not resized by Fairway’s autoscaler'),
  'spec.autoscaler.certificatesNotBefore': acts(EXTERNAL_AUTOSCALER_TEST, 'refuses a certificate that was revoked'),
  'spec.etcd.snapshotRequestedAt': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.etcd.restore.snapshot': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.etcd.restore.requestedAt': acts(SPEC_FIELDS_TEST, '$field of a cluster'),
  'spec.maintenance.window.days': acts(MAINTENANCE_GATE_TEST, 'is open at $now: $isOpen ($field)'),
  'spec.maintenance.window.start': acts(MAINTENANCE_GATE_TEST, 'is open at $now: $isOpen ($field)'),
  'spec.maintenance.window.duration': acts(MAINTENANCE_GATE_TEST, 'is open at $now: $isOpen ($field)'),
  'spec.maintenance.window.timeZone': acts(MAINTENANCE_GATE_TEST, 'is open at $now: $isOpen ($field)'),
  'spec.maintenance.confineSpecChanges': acts(
    MAINTENANCE_GATE_TEST,
    'does not delay requested spec changes, unless the user confines them to the window',
  ),
  'spec.hibernation.enabled': acts(HIBERNATION_TEST, 'reads $field of a cluster'),
  'spec.hibernation.requestedAt': acts(HIBERNATION_TEST, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].hibernate': acts(HIBERNATION_TEST, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].wake': acts(HIBERNATION_TEST, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].timeZone': acts(HIBERNATION_TEST, 'reads $field of a cluster'),
  'spec.reset.requestedAt': acts(RESET_TEST, 'reads $field of spec.reset'),
  'spec.reset.confirm': acts(RESET_TEST, 'reads $field of spec.reset'),
  'spec.reset.nodes': acts(RESET_TEST, 'reads $field of spec.reset'),
  'spec.image': acts(SPEC_FIELDS_TEST, 'a cluster uses the plan, version and image that it specifies'),
};
