import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { nodeAgent } from '../node-agent.ts';
import { agent, type CiliumFacts } from './agent.ts';
import { initContainers } from './init-containers.ts';
import { BPF_ROOT, CGROUP_ROOT, CNI_BIN_FOLDER, CNI_CONFIG_FOLDER, RUN_FOLDER } from './paths.ts';
import { AGENT_ACCOUNT } from './roles.ts';

const NAME = 'cilium';
const LABELS = { 'k8s-app': NAME };

/** The default profiles of container runtimes do not permit what Cilium does in the kernel. */
const UNCONFINED_ANNOTATIONS = { type: 'Unconfined' };

/** The DaemonSet of the Cilium agent. No node becomes Ready without it. */
export function daemonSet(facts: CiliumFacts, configRevision: string): DaemonSet {
  return nodeAgent({
    name: NAME,
    labels: LABELS,
    account: AGENT_ACCOUNT,
    configRevision,
    annotations: { 'kubectl.kubernetes.io/default-container': 'cilium-agent' },
    pod: {
      terminationGracePeriodSeconds: 1,
      securityContext: { appArmorProfile: UNCONFINED_ANNOTATIONS, seccompProfile: UNCONFINED_ANNOTATIONS },
      initContainers: initContainers(facts),
      containers: [agent(facts)],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        folder('cilium-run', RUN_FOLDER),
        folder('cilium-netns', '/var/run/netns'),
        folder('bpf-maps', BPF_ROOT),
        folder('cilium-cgroup', CGROUP_ROOT),
        folder('cni-bin', CNI_BIN_FOLDER),
        folder('cni-config', CNI_CONFIG_FOLDER),
        folder('hostproc', '/proc', 'Directory'),
        folder('host-proc-sys-net', '/proc/sys/net', 'Directory'),
        folder('host-proc-sys-kernel', '/proc/sys/kernel', 'Directory'),
        { name: 'modules', hostPath: { path: '/lib/modules' } },
        { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
      ],
    },
  });
}

function folder(name: string, path: string, type = 'DirectoryOrCreate') {
  return { name, hostPath: { path, type } };
}
