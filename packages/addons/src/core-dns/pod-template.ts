import type { PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import { REGISTRY } from '../registry.ts';
import { CUSTOM_FOLDER } from './corefile.ts';

interface PodFacts {
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly accountName: string;
  readonly configName: string;
}

/** CoreDNS's pods. They run on different nodes and in different zones, if there are several when the pods start. */
export function podTemplate({ version, labels, accountName, configName }: PodFacts): PodTemplateSpec {
  const spread = (topologyKey: string) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  });
  return {
    metadata: { labels },
    spec: {
      priorityClassName: 'system-cluster-critical',
      serviceAccountName: accountName,
      // CoreDNS uses the node's name servers: the cluster's own name server is CoreDNS itself.
      dnsPolicy: 'Default',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
      topologySpreadConstraints: [spread('kubernetes.io/hostname'), spread('topology.kubernetes.io/zone')],
      containers: [
        {
          name: 'coredns',
          image: `${REGISTRY}/coredns/coredns:v${version}`,
          imagePullPolicy: 'IfNotPresent',
          args: ['-conf', '/etc/coredns/Corefile'],
          resources: { requests: { cpu: '100m', memory: '70Mi' }, limits: { memory: '170Mi' } },
          ports: [
            { name: 'dns', containerPort: 53, protocol: 'UDP' },
            { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
            { name: 'metrics', containerPort: 9153, protocol: 'TCP' },
            { name: 'liveness-probe', containerPort: 8080, protocol: 'TCP' },
            { name: 'readiness-probe', containerPort: 8181, protocol: 'TCP' },
          ],
          livenessProbe: {
            httpGet: { path: '/health', port: 'liveness-probe', scheme: 'HTTP' },
            initialDelaySeconds: 60,
            timeoutSeconds: 5,
            failureThreshold: 5,
          },
          readinessProbe: { httpGet: { path: '/ready', port: 'readiness-probe', scheme: 'HTTP' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
          volumeMounts: [
            { name: 'config', mountPath: '/etc/coredns', readOnly: true },
            { name: 'custom', mountPath: CUSTOM_FOLDER, readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: configName, items: [{ key: 'Corefile', path: 'Corefile' }] } },
        { name: 'custom', configMap: { name: `${configName}-custom`, optional: true } },
      ],
    },
  };
}
