import { durationMs } from '../domain/duration.ts';
import { isDurationCel } from '../schema/scalars.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

interface SyncPeriods {
  readonly minSyncPeriod?: string | undefined;
  readonly syncPeriod?: string | undefined;
}

interface KubeProxy {
  readonly mode?: string | undefined;
  readonly iptables?: SyncPeriods | undefined;
  readonly ipvs?: (SyncPeriods & { readonly tcpTimeout?: string | undefined }) | undefined;
}

interface Switch {
  readonly enabled: boolean;
}

interface Cilium {
  readonly clusterID?: number | undefined;
  readonly clusterMesh?:
    | (Switch & {
        readonly apiServer?: { readonly serviceType: string; readonly nodePort?: number | undefined } | undefined;
      })
    | undefined;
  readonly hubble?: (Switch & { readonly relay?: Switch | undefined; readonly ui?: Switch | undefined }) | undefined;
}

/** kube-proxy's own default for syncPeriod; applies if the field is absent. */
const DEFAULT_SYNC_PERIOD = '30s';

/** Rules for a Cluster's `spec.kubeProxy` and `spec.cni`. */
export const CLUSTER_OPTION_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<KubeProxy>({
    path: 'spec.kubeProxy',
    field: 'spec.kubeProxy.iptables',
    cel: "!has(self.iptables) || !has(self.mode) || self.mode == 'iptables'",
    holds: ({ iptables, mode = 'iptables' }) => iptables === undefined || mode === 'iptables',
    message: 'is only for mode iptables: remove it, or set mode to iptables',
  }),
  crossFieldRule<KubeProxy>({
    path: 'spec.kubeProxy',
    field: 'spec.kubeProxy.ipvs',
    cel: "!has(self.ipvs) || (has(self.mode) && self.mode == 'ipvs')",
    holds: (proxy) => proxy.ipvs === undefined || proxy.mode === 'ipvs',
    message: 'is only for mode ipvs: remove it, or set mode to ipvs',
  }),
  crossFieldRule<KubeProxy>({
    path: 'spec.kubeProxy',
    field: 'spec.kubeProxy.ipvs.tcpTimeout',
    cel: `!has(self.ipvs) || !has(self.ipvs.tcpTimeout) || !${isDurationCel('self.ipvs.tcpTimeout')} || duration(self.ipvs.tcpTimeout) == duration('0s') || duration(self.ipvs.tcpTimeout) >= duration('5s')`,
    holds: ({ ipvs }) => ipvs?.tcpTimeout === undefined || isZeroOrAtLeast(ipvs.tcpTimeout, 5000),
    message: 'must be 0s or at least 5s',
  }),
  ...(['iptables', 'ipvs'] as const).map((mode) =>
    crossFieldRule<KubeProxy>({
      path: 'spec.kubeProxy',
      field: `spec.kubeProxy.${mode}.minSyncPeriod`,
      cel: `!has(self.${mode}) || !has(self.${mode}.minSyncPeriod) || !${isDurationCel(`self.${mode}.minSyncPeriod`)} || (has(self.${mode}.syncPeriod) && !${isDurationCel(`self.${mode}.syncPeriod`)}) || duration(self.${mode}.minSyncPeriod) <= duration(has(self.${mode}.syncPeriod) ? self.${mode}.syncPeriod : '${DEFAULT_SYNC_PERIOD}')`,
      holds: ({ [mode]: settings }) => isInOrder(settings),
      message: `must not be more than syncPeriod (default ${DEFAULT_SYNC_PERIOD}): lower it, or raise syncPeriod`,
    }),
  ),
  crossFieldRule<Cilium>({
    path: 'spec.cni.cilium',
    field: 'spec.cni.cilium.clusterID',
    cel: '!has(self.clusterMesh) || !self.clusterMesh.enabled || has(self.clusterID)',
    holds: ({ clusterMesh, clusterID }) => !clusterMesh?.enabled || clusterID !== undefined,
    message: 'is required by clusterMesh: give each cluster of the mesh its own number from 1 to 255',
  }),
  crossFieldRule<Cilium>({
    path: 'spec.cni.cilium',
    field: 'spec.cni.cilium.clusterMesh.apiServer.nodePort',
    cel: "!has(self.clusterMesh) || !has(self.clusterMesh.apiServer) || !has(self.clusterMesh.apiServer.nodePort) || self.clusterMesh.apiServer.serviceType == 'NodePort'",
    holds: ({ clusterMesh }) =>
      clusterMesh?.apiServer?.nodePort === undefined || clusterMesh.apiServer.serviceType === 'NodePort',
    message: 'is only for serviceType NodePort: remove it, or set serviceType to NodePort',
  }),
  crossFieldRule<Cilium>({
    path: 'spec.cni.cilium',
    field: 'spec.cni.cilium.hubble.relay.enabled',
    cel: '!has(self.hubble) || !has(self.hubble.relay) || !self.hubble.relay.enabled || self.hubble.enabled',
    holds: ({ hubble }) => !hubble?.relay?.enabled || hubble.enabled,
    message: 'requires hubble: set hubble.enabled to true, or disable the relay',
  }),
  crossFieldRule<Cilium>({
    path: 'spec.cni.cilium',
    field: 'spec.cni.cilium.hubble.ui.enabled',
    cel: '!has(self.hubble) || !has(self.hubble.ui) || !self.hubble.ui.enabled || (self.hubble.enabled && has(self.hubble.relay) && self.hubble.relay.enabled)',
    holds: ({ hubble }) => !hubble?.ui?.enabled || (hubble.enabled && hubble.relay?.enabled === true),
    message: 'requires hubble and its relay: set hubble.enabled and hubble.relay.enabled to true, or disable the UI',
  }),
];

function isZeroOrAtLeast(duration: string, minimumMs: number): boolean {
  const value = durationMs(duration);
  return value === 0 || value >= minimumMs;
}

function isInOrder({ minSyncPeriod, syncPeriod = DEFAULT_SYNC_PERIOD }: SyncPeriods = {}): boolean {
  return minSyncPeriod === undefined || durationMs(minSyncPeriod) <= durationMs(syncPeriod);
}
