import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { ADDON_NAMESPACE } from '../addon.ts';
import { CONFIG_ANNOTATION } from '../revision.ts';
import { FLANNEL_KEY } from './configuration.ts';
import { type CanalFacts, installer, overlay, policyAgent } from './containers.ts';
import { ACCOUNT_NAME } from './roles.ts';

const NAME = 'canal';
const LABELS = { 'k8s-app': NAME };

/** One pod on each node, whatever keeps others away from it: without it none is Ready. */
export function daemonSet(facts: CanalFacts, configRevision: string): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      selector: { matchLabels: LABELS },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        metadata: { labels: LABELS, annotations: { [CONFIG_ANNOTATION]: configRevision } },
        spec: {
          priorityClassName: 'system-node-critical',
          serviceAccountName: ACCOUNT_NAME,
          hostNetwork: true,
          // Nothing is lost with it: rules and routes stay on the node.
          terminationGracePeriodSeconds: 0,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [{ operator: 'Exists' }],
          initContainers: [installer(facts)],
          containers: [overlay(facts), policyAgent(facts)],
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
      },
    },
  };
}

function folder(name: string, path: string) {
  return { name, hostPath: { path, type: 'DirectoryOrCreate' } };
}
