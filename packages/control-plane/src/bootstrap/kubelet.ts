import { addressAt, parseCidr } from '@fairway/api/domain/cidr';
import {
  reservedOf,
  SHUTDOWN_GRACE_PERIOD,
  SHUTDOWN_GRACE_PERIOD_CRITICAL,
} from '@fairway/api/domain/kubelet-settings';
import { isKubeletLabel } from '@fairway/api/domain/node-metadata';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { CONTAINERD_SOCKET, type NodeConfig, NodePath } from './node-config.ts';

/** Index of the cluster DNS address in the service range, by convention among all installers. */
const DNS_ADDRESS_INDEX = 10;
export const CLUSTER_DOMAIN = 'cluster.local';

/** The cluster DNS address in a service range. */
export function clusterDnsAddress(serviceCIDR: string): string {
  return addressAt(parseCidr(serviceCIDR), DNS_ADDRESS_INDEX);
}

/** `/var/lib/kubelet/config.yaml`. It omits the providerID, which the cloud provider sets. */
export function kubeletConfiguration(config: NodeConfig) {
  const { maxPods: _, ...settings } = config.kubelet ?? {};
  const { systemReserved, ...reserved } = reservedOf(settings, config.size);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true, cacheTTL: '2m0s' },
      x509: { clientCAFile: NodePath.clusterAuthority },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'systemd',
    clusterDNS: [clusterDnsAddress(config.serviceCIDR)],
    clusterDomain: CLUSTER_DOMAIN,
    containerRuntimeEndpoint: CONTAINERD_SOCKET,
    ...(config.failCgroupV1 !== undefined && { failCgroupV1: config.failCgroupV1 }),
    maxPods: config.maxPods,
    protectKernelDefaults: true,
    readOnlyPort: 0,
    registerWithTaints: config.taints.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect })),
    resolvConf: NodePath.resolvConf,
    rotateCertificates: true,
    serverTLSBootstrap: true,
    shutdownGracePeriod: SHUTDOWN_GRACE_PERIOD,
    shutdownGracePeriodCriticalPods: SHUTDOWN_GRACE_PERIOD_CRITICAL,
    ...settings,
    ...reserved,
    ...(Object.keys(systemReserved).length > 0 && { systemReserved }),
  };
}

/** `/etc/default/kubelet`. Controllers apply the labels that a kubelet may not set. */
export function kubeletFlags({ nodeName, labels }: NodeConfig): string {
  const own = Object.entries(labels).filter(([key]) => isKubeletLabel(key));
  const flags = [
    `--node-labels=${own.map(([key, value]) => `${key}=${value}`).join(',')}`,
    '--cloud-provider=external',
    `--hostname-override=${nodeName}`,
  ];
  return `KUBELET_EXTRA_ARGS=${flags.join(' ')}\n`;
}

/** A systemd drop-in: the package's own unit starts kubelet in standalone mode. */
export function kubeletDropIn(): string {
  return [
    '[Unit]',
    'After=containerd.service',
    'Wants=containerd.service',
    '',
    '[Service]',
    `EnvironmentFile=-${NodePath.kubeletFlags}`,
    'ExecStart=',
    `ExecStart=/usr/bin/kubelet --bootstrap-kubeconfig=${NodePath.bootstrapKubeconfig} --kubeconfig=${NodePath.kubeconfig} --config=${NodePath.kubeletConfig} $KUBELET_EXTRA_ARGS`,
    '',
  ].join('\n');
}

/** The bootstrap kubeconfig: kubelet uses it to request its client certificate. */
export function bootstrapKubeconfig({ server, certificateAuthority, bootstrapToken }: NodeConfig): string {
  return renderKubeconfig({
    name: 'kubernetes',
    server,
    certificateAuthority,
    userName: 'kubelet-bootstrap',
    token: bootstrapToken,
  });
}
