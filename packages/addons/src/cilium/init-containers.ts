import type { PodSpec } from '@fairway/kube/kinds/generated/types';
import { apiServerVariables } from '../pod-network/api-server.ts';
import { CILIUM_IMAGES, type CiliumFacts, NODE_SECURITY_CONTEXT, NODE_VARIABLES } from './agent.ts';
import { BPF_ROOT, CGROUP_ROOT, CNI_BIN_FOLDER, RUN_FOLDER } from './paths.ts';

type Container = PodSpec['containers'][number];

/** The containers that run on a node before the agent, in this order. */
export function initContainers(facts: CiliumFacts): Container[] {
  return [
    configContainer(facts),
    sysctlContainer(facts),
    bpfMountContainer(facts),
    cleanupContainer(facts),
    installContainer(facts),
  ];
}

/** Assembles the settings of this node from the ConfigMap and the tenant's CiliumNodeConfigs. */
function configContainer(facts: CiliumFacts): Container {
  return {
    ...common('config', facts),
    command: ['cilium-dbg', 'build-config'],
    env: [...NODE_VARIABLES, ...apiServerVariables(facts.server)],
    securityContext: { capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
}

/**
 * Disables reverse path filtering on pod interfaces, which systemd's settings would enable for each new
 * interface. The program runs in the node's mount namespace.
 */
function sysctlContainer(facts: CiliumFacts): Container {
  const program = 'cilium-sysctlfix';
  const script = [
    `cp /usr/bin/${program} /hostbin/${program}`,
    `nsenter --mount=/hostproc/1/ns/mnt "\${BIN_PATH}/${program}"`,
    `rm /hostbin/${program}`,
  ];
  return {
    ...common('apply-sysctl-overwrites', facts),
    command: ['bash', '-ec', script.join('\n')],
    env: [{ name: 'BIN_PATH', value: CNI_BIN_FOLDER }],
    securityContext: {
      ...NODE_SECURITY_CONTEXT,
      capabilities: { add: ['SYS_ADMIN', 'SYS_CHROOT', 'SYS_PTRACE'], drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'hostproc', mountPath: '/hostproc' },
      { name: 'cni-bin', mountPath: '/hostbin' },
    ],
  };
}

/** Mounts the BPF file system if it is not mounted yet: eBPF programs pinned there outlive the agent. */
function bpfMountContainer(facts: CiliumFacts): Container {
  return {
    ...common('mount-bpf-fs', facts),
    command: ['/bin/bash', '-c', '--'],
    args: [`mount | grep "${BPF_ROOT} type bpf" || mount -t bpf bpf ${BPF_ROOT}`],
    // Required for the mount to be visible on the node.
    securityContext: { privileged: true },
    volumeMounts: [{ name: 'bpf-maps', mountPath: BPF_ROOT, mountPropagation: 'Bidirectional' }],
  };
}

/** Clears the state if the ConfigMap requests it. */
function cleanupContainer(facts: CiliumFacts): Container {
  const setting = (name: string, key: string) => ({
    name,
    valueFrom: { configMapKeyRef: { name: facts.configName, key, optional: true } },
  });
  return {
    ...common('clean-cilium-state', facts),
    command: ['/init-container.sh'],
    env: [
      setting('CILIUM_ALL_STATE', 'clean-cilium-state'),
      setting('CILIUM_BPF_STATE', 'clean-cilium-bpf-state'),
      setting('WRITE_CNI_CONF_WHEN_READY', 'write-cni-conf-when-ready'),
      ...apiServerVariables(facts.server),
    ],
    securityContext: {
      ...NODE_SECURITY_CONTEXT,
      capabilities: { add: ['NET_ADMIN', 'SYS_MODULE', 'SYS_ADMIN', 'SYS_RESOURCE'], drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'bpf-maps', mountPath: BPF_ROOT },
      { name: 'cilium-cgroup', mountPath: CGROUP_ROOT, mountPropagation: 'HostToContainer' },
      { name: 'cilium-run', mountPath: RUN_FOLDER },
    ],
  };
}

/** Installs the CNI plugin on the node. */
function installContainer(facts: CiliumFacts): Container {
  return {
    ...common('install-cni-binaries', facts),
    command: ['/install-plugin.sh'],
    resources: { requests: { cpu: '100m', memory: '10Mi' } },
    securityContext: { ...NODE_SECURITY_CONTEXT, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'cni-bin', mountPath: `/host${CNI_BIN_FOLDER}` }],
  };
}

function common(name: string, { version }: CiliumFacts) {
  return {
    name,
    image: `${CILIUM_IMAGES}/cilium:v${version}`,
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}
