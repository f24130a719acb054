import { acts, type FieldLedger } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';

const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';

export const MACHINE_FIELDS: FieldLedger = {
  'spec.clusterName': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.nodePoolName': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.zone': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.flavor': acts(SHAPES, 'its flavor is told by its id'),
  'spec.image': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.version': acts(SPEC_FIELDS, 'a node is installed as plan, release and machine say'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.rootVolume.type': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.serverGroupID': acts(SHAPES, 'its nodes share a server group, which goes with the pool'),
  'spec.authorityGeneration': acts(
    'packages/controllers/src/behaviour/credential-rotation.test.ts',
    'prepares with nodes renewed $type, and is completed when that is asked for',
  ),
  'spec.reinstallTime': acts(
    'packages/controllers/src/behaviour/reinstall.test.ts',
    'keeps its server, address and Node, gets a new disk, and is Ready again',
  ),
  'spec.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'waits beyond the time limit for the user, for hours and for next to nothing, and is forced by a word',
  ),
  'spec.resetTime': acts(
    'packages/controllers/src/behaviour/reset.test.ts',
    'servers that are reinstalled keep names and addresses, and join the cluster that begins anew',
  ),
  'spec.nodeSettings.kubelet.maxPods': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.podPidsLimit': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.cpuManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.cpuCFSQuota': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.topologyManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.topologyManagerScope': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.kubeReserved': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.systemReserved': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.evictionHard': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.evictionSoft': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.evictionSoftGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.evictionMaxPodGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.imageGCHighThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.imageGCLowThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.containerLogMaxSize': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.containerLogMaxFiles': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.serializeImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.maxParallelImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.seccompDefault': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.allowedUnsafeSysctls': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.shutdownGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a machine is on its node'),
  'spec.nodeSettings.kubelet.shutdownGracePeriodCriticalPods': acts(
    SPEC_FIELDS,
    'kubelet.%s of a machine is on its node',
  ),
  'spec.nodeSettings.registryMirrors[].registry': acts(SPEC_FIELDS, '$field of a machine is on its node'),
  'spec.nodeSettings.registryMirrors[].mirrors[].url': acts(SPEC_FIELDS, '$field of a machine is on its node'),
  'spec.nodeSettings.registryMirrors[].mirrors[].certificateAuthority': acts(
    SPEC_FIELDS,
    '$field of a machine is on its node',
  ),
  'spec.nodeSettings.proxy.httpProxy': acts(SPEC_FIELDS, '$field of a machine is on its node'),
  'spec.nodeSettings.proxy.httpsProxy': acts(SPEC_FIELDS, '$field of a machine is on its node'),
  'spec.nodeSettings.proxy.noProxy': acts(SPEC_FIELDS, '$field of a machine is on its node'),
  'spec.networks[].networkID': acts(
    'packages/controllers/src/behaviour/further-networks.test.ts',
    'its servers have a port in each, and the address of the node stays in the first',
  ),
  'spec.networks[].subnetID': acts(
    'packages/controllers/src/behaviour/further-networks.test.ts',
    'the subnet that the pool names counts where the network has several',
  ),
  'spec.floatingIP': acts(SHAPES, 'floating IPs come and go with its spec, and its servers stay'),
};
