import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { nodeAgent } from '../node-agent.ts';
import { FLANNEL_KEY } from './configuration.ts';
import { type CanalFacts, installContainer, overlayContainer, policyAgentContainer } from './containers.ts';
import { ACCOUNT_NAME } from './roles.ts';

const NAME = 'canal';
const LABELS = { 'k8s-app': NAME };

/** Canal's DaemonSet. No node becomes Ready without it. */
export function daemonSet(facts: CanalFacts, configRevision: string): DaemonSet {
  return nodeAgent({
    name: NAME,
    labels: LABELS,
    account: ACCOUNT_NAME,
    configRevision,
    pod: {
      // Deleting the pod loses nothing: rules and routes remain on the node.
      terminationGracePeriodSeconds: 0,
      initContainers: [installContainer(facts)],
      containers: [overlayContainer(facts), policyAgentContainer(facts)],
      volumes: [
        {
          name: 'flannel-config',
          configMap: { name: facts.configName, items: [{ key: FLANNEL_KEY, path: FLANNEL_KEY }] },
        },
        folder('flannel-run', '/run/flannel'),
        folder('calico-run', '/var/run/calico'),
        folder('calico-state', '/var/lib/calico'),
        folder('cni-bin', '/opt/cni/bin'),
        folder('cni-config', '/etc/cni/net.d'),
        { name: 'modules', hostPath: { path: '/lib/modules' } },
        { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
      ],
    },
  });
}

function folder(name: string, path: string) {
  return { name, hostPath: { path, type: 'DirectoryOrCreate' } };
}
