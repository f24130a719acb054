import { acts, type FieldLedger } from './entry.ts';

const SHAPES_TEST = 'packages/controllers/src/behaviour/shapes.test.ts';

const SPEC_FIELDS_TEST = 'packages/controllers/src/behaviour/spec-fields.test.ts';

export const MACHINE_FIELDS: FieldLedger = {
  'spec.clusterName': acts(SHAPES_TEST, 'spread its nodes over its zones'),
  'spec.nodePoolName': acts(SPEC_FIELDS_TEST, '$field of its machine'),
  'spec.zone': acts(SHAPES_TEST, 'spread its nodes over its zones'),
  'spec.flavor': acts(SHAPES_TEST, 'accept a flavor by its ID'),
  'spec.image': acts(SPEC_FIELDS_TEST, '$field of its machine'),
  'spec.version': acts(SPEC_FIELDS_TEST, 'a node is installed according to plan, release and machine'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS_TEST, '$field of its machine'),
  'spec.rootVolume.type': acts(SPEC_FIELDS_TEST, '$field of its machine'),
  'spec.serverGroupID': acts(SHAPES_TEST, 'give its nodes a server group, which is deleted with the pool'),
  'spec.authorityGeneration': acts(
    'packages/controllers/src/behaviour/credential-rotation.test.ts',
    'prepares nodes with strategy $type, and is completed on request',
  ),
  'spec.reinstallTime': acts(
    'packages/controllers/src/behaviour/reinstall.test.ts',
    'keeps its server, address and Node, is given a new disk, and becomes Ready again',
  ),
  'spec.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'keeps waiting for the user after the timeout, at almost no cost, and can be forced',
  ),
  'spec.resetTime': acts(
    'packages/controllers/src/behaviour/reset.test.ts',
    'reinstalled servers keep names and addresses, and join the empty cluster',
  ),
  'spec.nodeSettings.kubelet.maxPods': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.podPidsLimit': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.cpuManagerPolicy': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.cpuCFSQuota': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.topologyManagerPolicy': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.topologyManagerScope': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.kubeReserved': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.systemReserved': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.evictionHard': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.evictionSoft': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.evictionSoftGracePeriod': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.evictionMaxPodGracePeriod': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.imageGCHighThresholdPercent': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.imageGCLowThresholdPercent': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.containerLogMaxSize': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.containerLogMaxFiles': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.serializeImagePulls': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.maxParallelImagePulls': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.seccompDefault': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.allowedUnsafeSysctls': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.kubelet.shutdownGracePeriod': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a machine is set on its node'),
  'spec.nodeSettings.kubelet.shutdownGracePeriodCriticalPods': acts(
    SPEC_FIELDS_TEST,
    'kubelet.%s of a machine is set on its node',
  ),
  'spec.nodeSettings.registryMirrors[].registry': acts(SPEC_FIELDS_TEST, '$field of a machine is set on its node'),
  'spec.nodeSettings.registryMirrors[].mirrors[].url': acts(SPEC_FIELDS_TEST, '$field of a machine is set on its node'),
  'spec.nodeSettings.registryMirrors[].mirrors[].certificateAuthority': acts(
    SPEC_FIELDS_TEST,
    '$field of a machine is set on its node',
  ),
  'spec.nodeSettings.proxy.httpProxy': acts(SPEC_FIELDS_TEST, '$field of a machine is set on its node'),
  'spec.nodeSettings.proxy.httpsProxy': acts(SPEC_FIELDS_TEST, '$field of a machine is set on its node'),
  'spec.nodeSettings.proxy.noProxy': acts(SPEC_FIELDS_TEST, '$field of a machine is set on its node'),
  'spec.networks[].networkID': acts(
    'packages/controllers/src/behaviour/additional-networks.test.ts',
    'give each server one port per network, while the node’s address stays in the first network',
  ),
  'spec.networks[].subnetID': acts(
    'packages/controllers/src/behaviour/additional-networks.test.ts',
    'use the subnet that the pool specifies if a network has several',
  ),
  'spec.floatingIP': acts(SHAPES_TEST, 'add and remove floating IPs, and keep the servers'),
};
