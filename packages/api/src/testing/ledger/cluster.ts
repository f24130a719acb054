import { acts, type FieldLedger, notYet, provenBy } from './entry.ts';

const ADMISSION = 'packages/api/src/admission/admission.test.ts';

const VERSION_CHOICE = 'packages/controllers/src/cluster/version-choice.test.ts';

const ADDONS = 'packages/controllers/src/behaviour/addons.test.ts';

const CANAL = 'packages/controllers/src/behaviour/canal.test.ts';

/** Each field is a row of its tables. */
const UNAPPLIED = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const EXTERNAL_AUTOSCALER = 'packages/external-autoscaler/src/behaviour/server.test.ts';

const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';

const KEYSTONE_USERS = 'packages/controllers/src/behaviour/keystone-users.test.ts';
const GIVEN_NETWORK = 'packages/controllers/src/behaviour/given-network.test.ts';
const HIBERNATION = 'packages/api/src/domain/hibernation.test.ts';
const WINDOW = 'packages/api/src/domain/maintenance-gate.test.ts';
const RESET = 'packages/api/src/domain/reset.test.ts';
const NETWORK_CHANGES = 'packages/controllers/src/behaviour/network-changes.test.ts';

const OF_CLUSTER = '$field of a cluster is on its nodes';
const NODES = 'packages/controllers/src/behaviour/spec-fields.test.ts';

export const CLUSTER_FIELDS: FieldLedger = {
  'spec.registryMirrors[].registry': acts(NODES, OF_CLUSTER),
  'spec.registryMirrors[].mirrors[].url': acts(NODES, OF_CLUSTER),
  'spec.registryMirrors[].mirrors[].certificateAuthority': acts(NODES, OF_CLUSTER),
  'spec.proxy.httpProxy': acts(NODES, OF_CLUSTER),
  'spec.proxy.httpsProxy': acts(NODES, OF_CLUSTER),
  'spec.proxy.noProxy': acts(NODES, OF_CLUSTER),
  'spec.plan': acts(SPEC_FIELDS, 'a cluster gets the plan, the version and the image that it names'),
  'spec.version': acts(VERSION_CHOICE, 'that asks for $version gets $gets, whatever the policy'),
  'spec.region': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.updatePolicy': acts(VERSION_CHOICE, '$updatePolicy, seamless: $isSeamless, takes it in its turn: $takes'),
  'spec.credentialName': acts(
    'packages/controllers/src/behaviour/credential-endings.test.ts',
    'is told once for each notice, at that time and over restarts, on it and on its clusters',
  ),
  'spec.network.networkID': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'a network of the tenant is used, and left as it was',
  ),
  'spec.network.subnetID': acts(
    GIVEN_NETWORK,
    'have their addresses in the subnet that the cluster names, with its security group',
  ),
  'spec.network.loadBalancersSubnetID': acts(
    GIVEN_NETWORK,
    'load balancers have a subnet of their own, which may not be missing',
  ),
  'spec.network.nodesCIDR': acts(SPEC_FIELDS, "the nodes' range is the cluster's, else the plan's"),
  'spec.network.gateway.mode': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'a network of the tenant is used, and left as it was',
  ),
  'spec.network.gateway.externalNetworkID': acts(NETWORK_CHANGES, 'another external network'),
  'spec.network.gateway.routerID': acts(NETWORK_CHANGES, 'another router, which stays when the cluster goes'),
  'spec.network.gateway.address': acts(NETWORK_CHANGES, 'a gateway of the tenant’s own, and another one'),
  'spec.network.podRoutes': acts(
    'packages/cloud-provider/src/behaviour/routes/routes.test.ts',
    'has a route to each node, whose port lets pods send and whose condition says so',
  ),
  'spec.network.dnsNameservers': acts(NETWORK_CHANGES, 'name servers, also when they are taken away'),
  'spec.podCIDR': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.serviceCIDR': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.kubeProxy.mode': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.iptables.minSyncPeriod': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.iptables.syncPeriod': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.minSyncPeriod': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.syncPeriod': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.scheduler': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.tcpTimeout': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.tcpFinTimeout': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.kubeProxy.ipvs.udpTimeout': acts(ADDONS, 'its kube-proxy has $field of the cluster'),
  'spec.cni.type': acts(CANAL, 'of plan $plan with $spec has Canal: $has'),
  'spec.cni.cilium.clusterID': notYet(UNAPPLIED, 'spec.cni.cilium.clusterID ('),
  'spec.cni.cilium.clusterMesh.enabled': notYet(UNAPPLIED, 'spec.cni.cilium.clusterMesh.enabled ('),
  'spec.cni.cilium.clusterMesh.apiServer.serviceType': notYet(
    UNAPPLIED,
    'spec.cni.cilium.clusterMesh.apiServer.serviceType (',
  ),
  'spec.cni.cilium.clusterMesh.apiServer.nodePort': notYet(
    UNAPPLIED,
    'spec.cni.cilium.clusterMesh.apiServer.nodePort (',
  ),
  'spec.cni.cilium.hubble.enabled': notYet(UNAPPLIED, 'spec.cni.cilium.hubble.enabled ('),
  'spec.cni.cilium.hubble.relay.enabled': notYet(UNAPPLIED, 'spec.cni.cilium.hubble.relay.enabled ('),
  'spec.cni.cilium.hubble.ui.enabled': notYet(UNAPPLIED, 'spec.cni.cilium.hubble.ui.enabled ('),
  'spec.cni.cilium.hubble.ui.backendResources.limits.cpu': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.backendResources.limits.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.limits.memory': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.backendResources.limits.memory (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.requests.cpu': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.backendResources.requests.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.backendResources.requests.memory': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.backendResources.requests.memory (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.limits.cpu': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.frontendResources.limits.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.limits.memory': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.frontendResources.limits.memory (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.requests.cpu': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.frontendResources.requests.cpu (',
  ),
  'spec.cni.cilium.hubble.ui.frontendResources.requests.memory': notYet(
    UNAPPLIED,
    'spec.cni.cilium.hubble.ui.frontendResources.requests.memory (',
  ),
  'spec.apiServer.admissionPlugins.enabled': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.admissionPlugins.disabled': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.allowedCIDRs': provenBy(
    'acts',
    'tests/process-allow-list.test.ts',
    'of a control plane on this machine',
    'its runtime is asked without an API server in between',
  ),
  'spec.apiServer.oidc.issuerURL': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.clientID': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.usernameClaim': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.usernamePrefix': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.groupsClaims': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.groupsPrefix': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.requiredClaims': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.oidc.signingAlgorithms': notYet(UNAPPLIED, 'spec.apiServer.oidc.signingAlgorithms ('),
  'spec.apiServer.oidc.certificateAuthority': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.audit.level': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.audit.reads': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.apiServer.keystone.projects': acts(KEYSTONE_USERS, 'lets the projects in that $field says'),
  'spec.apiServer.keystone.roles': acts(KEYSTONE_USERS, 'gives roles what $field says'),
  'spec.apiServer.keystone.policy': acts(KEYSTONE_USERS, 'gives further rights by its policy'),
  'spec.autoscaler.mode': acts(EXTERNAL_AUTOSCALER, 'leaves the sizes of an externally scaled cluster alone'),
  'spec.autoscaler.certificatesNotBefore': acts(EXTERNAL_AUTOSCALER, 'refuses a certificate that was revoked'),
  'spec.etcd.snapshotRequestedAt': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.etcd.restore.snapshot': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.etcd.restore.requestedAt': acts(SPEC_FIELDS, '$field of a cluster'),
  'spec.maintenance.window.days': acts(WINDOW, 'is open by its $field at $now: $isOpen'),
  'spec.maintenance.window.start': acts(WINDOW, 'is open by its $field at $now: $isOpen'),
  'spec.maintenance.window.duration': acts(WINDOW, 'is open by its $field at $now: $isOpen'),
  'spec.maintenance.window.timeZone': acts(WINDOW, 'is open by its $field at $now: $isOpen'),
  'spec.maintenance.confineSpecChanges': acts(
    WINDOW,
    'is apart from what the user asks for, unless the user wants that to wait too',
  ),
  'spec.hibernation.enabled': acts(HIBERNATION, 'reads $field of a cluster'),
  'spec.hibernation.requestedAt': acts(HIBERNATION, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].hibernate': acts(HIBERNATION, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].wake': acts(HIBERNATION, 'reads $field of a cluster'),
  'spec.hibernation.schedules[].timeZone': acts(HIBERNATION, 'reads $field of a cluster'),
  'spec.reset.requestedAt': acts(RESET, 'reads $field of a cluster'),
  'spec.reset.confirm': acts(RESET, 'reads $field of a cluster'),
  'spec.reset.nodes': acts(RESET, 'reads $field of a cluster'),
  'spec.image': acts(SPEC_FIELDS, 'a cluster gets the plan, the version and the image that it names'),
};
