import { METRICS_SERVER_PORT } from '@fairway/api/domain/node-ports';
import type { PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import { REGISTRY } from '../registry.ts';

const CERTIFICATE_FOLDER = '/etc/metrics-server';

interface PodFacts {
  readonly name: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly certificateName: string;
  readonly nodeCount: number;
}

/**
 * The metrics-server pod, on its node's network: API servers outside the cluster can reach nodes, but not pods.
 */
export function podTemplate({ name, version, labels, certificateName, nodeCount }: PodFacts): PodTemplateSpec {
  return {
    metadata: {
      labels,
      // Otherwise cluster-autoscaler would keep a node for this pod, as for any pod in kube-system.
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
    },
    spec: {
      priorityClassName: 'system-cluster-critical',
      serviceAccountName: name,
      hostNetwork: true,
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
      containers: [
        {
          name,
          image: `${REGISTRY}/metrics-server/metrics-server:v${version}`,
          imagePullPolicy: 'IfNotPresent',
          args: [
            `--secure-port=${METRICS_SERVER_PORT}`,
            `--tls-cert-file=${CERTIFICATE_FOLDER}/tls.crt`,
            `--tls-private-key-file=${CERTIFICATE_FOLDER}/tls.key`,
            '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
            '--kubelet-use-node-status-port',
            '--metric-resolution=15s',
          ],
          resources: { requests: resourceRequests(nodeCount) },
          ports: [{ name: 'https', containerPort: METRICS_SERVER_PORT, protocol: 'TCP' }],
          livenessProbe: { httpGet: { path: '/livez', port: 'https', scheme: 'HTTPS' } },
          readinessProbe: {
            httpGet: { path: '/readyz', port: 'https', scheme: 'HTTPS' },
            initialDelaySeconds: 20,
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          volumeMounts: [{ name: 'certificate', mountPath: CERTIFICATE_FOLDER, readOnly: true }],
        },
      ],
      volumes: [{ name: 'certificate', secret: { secretName: certificateName } }],
    },
  };
}

/**
 * Upstream's requests: 100m and 200Mi up to 100 nodes, and 1m and 2Mi for each additional node. They grow in steps of a
 * hundred nodes, so that adding a single node does not replace the pod.
 */
function resourceRequests(nodeCount: number): { readonly cpu: string; readonly memory: string } {
  const nodes = Math.max(Math.ceil(nodeCount / 100), 1) * 100;
  return { cpu: `${nodes}m`, memory: `${nodes * 2}Mi` };
}
