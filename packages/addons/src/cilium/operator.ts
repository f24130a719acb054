import type { Deployment } from '@fairway/kube/kinds/generated/types';
import { ADDON_NAMESPACE } from '../addon.ts';
import { apiServerVariables } from '../pod-network/api-server.ts';
import { CONFIG_ANNOTATION } from '../revision.ts';
import { CILIUM_IMAGES, type CiliumFacts, NODE_VARIABLES } from './agent.ts';
import { OPERATOR_ACCOUNT } from './roles.ts';
import { OPERATOR_PORT } from './settings.ts';

export const OPERATOR_NAME = 'cilium-operator';
const LABELS = { 'io.cilium/app': 'operator', name: OPERATOR_NAME };
const SETTINGS_FOLDER = '/tmp/cilium/config-map';

/**
 * The operator registers Cilium's kinds, without which agents cannot start, and cleans up after deleted nodes and pods.
 * A Lease prevents two operators from being active at the same time.
 */
export function operator({ version, server, configName }: CiliumFacts, configRevision: string): Deployment {
  const health = {
    httpGet: { host: '127.0.0.1', path: '/healthz', port: 'health', scheme: 'HTTP' },
    timeoutSeconds: 3,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, namespace: ADDON_NAMESPACE, labels: LABELS },
    spec: {
      // The operator uses a port on its node: a second replica would prevent the cluster from scaling down to one node.
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '100%' } },
      selector: { matchLabels: LABELS },
      template: {
        metadata: {
          labels: LABELS,
          annotations: {
            [CONFIG_ANNOTATION]: configRevision,
            'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
          },
        },
        spec: {
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: OPERATOR_ACCOUNT,
          // The operator must run before a pod network exists.
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [
            { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
            // Tolerates any taints that the tenant has given all pools: no node becomes Ready without the operator.
            { operator: 'Exists' },
          ],
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: OPERATOR_NAME,
              image: `${CILIUM_IMAGES}/operator-generic:v${version}`,
              imagePullPolicy: 'IfNotPresent',
              command: ['cilium-operator-generic'],
              args: [`--config-dir=${SETTINGS_FOLDER}`],
              env: [...NODE_VARIABLES, ...apiServerVariables(server)],
              ports: [{ name: 'health', containerPort: OPERATOR_PORT, hostPort: OPERATOR_PORT, protocol: 'TCP' }],
              livenessProbe: { ...health, initialDelaySeconds: 60, periodSeconds: 10 },
              readinessProbe: { ...health, periodSeconds: 5, failureThreshold: 5 },
              resources: { requests: { cpu: '20m', memory: '64Mi' } },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
              terminationMessagePolicy: 'FallbackToLogsOnError',
              volumeMounts: [{ name: 'settings', mountPath: SETTINGS_FOLDER, readOnly: true }],
            },
          ],
          volumes: [{ name: 'settings', configMap: { name: configName } }],
        },
      },
    },
  };
}
