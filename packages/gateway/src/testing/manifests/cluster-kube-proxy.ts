import type { Row } from './row.ts';

export const CLUSTER_KUBE_PROXY_ROWS: readonly Row[] = [
  {
    name: 'kube-proxy by IPVS',
    spec: { kubeProxy: { mode: 'ipvs' } },
  },
  {
    name: 'kube-proxy by nftables',
    spec: { kubeProxy: { mode: 'nftables' } },
  },
  {
    name: 'kube-proxy by something else',
    spec: { kubeProxy: { mode: 'ebpf' } },
    refused: [
      'spec.kubeProxy.mode: Unsupported value: "ebpf": supported values: "iptables", "ipvs", "nftables", "none"',
    ],
  },
  {
    name: 'no kube-proxy, although the plan requires one',
    spec: { kubeProxy: { mode: 'none' } },
    refused: ['spec.kubeProxy.mode: Unsupported value: "none": plan "free" supports "iptables", "ipvs", "nftables"'],
  },
  {
    name: 'settings of iptables',
    spec: { kubeProxy: { iptables: { minSyncPeriod: '1s', syncPeriod: '30s' } } },
  },
  {
    name: 'settings of iptables for IPVS',
    spec: { kubeProxy: { mode: 'ipvs', iptables: {} } },
    refused: [
      'spec.kubeProxy.iptables: Invalid value: {}: is only for mode iptables: remove it, or set mode to iptables',
    ],
    refusedByCrd: [
      'spec.kubeProxy.iptables: Invalid value: is only for mode iptables: remove it, or set mode to iptables',
    ],
  },
  {
    name: 'iptables settings with mode iptables set explicitly',
    spec: { plan: 'custom', kubeProxy: { mode: 'iptables', iptables: { syncPeriod: '30s' } } },
  },
  {
    name: 'iptables settings in a cluster without kube-proxy',
    spec: { plan: 'standard', kubeProxy: { iptables: { syncPeriod: '30s' } } },
    refused: [
      'spec.kubeProxy.iptables: Forbidden: is only for mode iptables, but with plan "standard" the cluster has no kube-proxy: remove it',
    ],
  },
  {
    name: 'settings of IPVS for iptables',
    spec: { kubeProxy: { ipvs: { scheduler: 'rr' } } },
    refused: [
      'spec.kubeProxy.ipvs: Invalid value: {"scheduler":"rr"}: is only for mode ipvs: remove it, or set mode to ipvs',
    ],
    refusedByCrd: ['spec.kubeProxy.ipvs: Invalid value: is only for mode ipvs: remove it, or set mode to ipvs'],
  },
  {
    name: 'settings of IPVS',
    spec: {
      kubeProxy: {
        mode: 'ipvs',
        ipvs: {
          scheduler: 'rr',
          tcpTimeout: '15m',
          tcpFinTimeout: '1m',
          udpTimeout: '30s',
          minSyncPeriod: '1s',
          syncPeriod: '30s',
        },
      },
    },
  },
  {
    name: 'a scheduler of IPVS in words',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { scheduler: 'round-robin' } } },
    refused: [
      'spec.kubeProxy.ipvs.scheduler: Unsupported value: "round-robin": supported values: "rr", "lc", "dh", "sh", "sed", "nq"',
    ],
  },
  {
    name: 'a timeout of two seconds',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { tcpTimeout: '2s' } } },
    refused: ['spec.kubeProxy.ipvs.tcpTimeout: Invalid value: "2s": must be 0s or at least 5s'],
    refusedByCrd: ['spec.kubeProxy.ipvs.tcpTimeout: Invalid value: must be 0s or at least 5s'],
  },
  {
    name: 'no timeout',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { tcpTimeout: '0s' } } },
  },
  {
    name: 'a duration in milliseconds',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { udpTimeout: '500ms' } } },
    refused: [
      'spec.kubeProxy.ipvs.udpTimeout: Invalid value: "500ms": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'a duration that is a number',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { tcpFinTimeout: 60 } } },
    refused: [
      'spec.kubeProxy.ipvs.tcpFinTimeout: Invalid value: "integer": spec.kubeProxy.ipvs.tcpFinTimeout in body must be of type string: "integer"',
    ],
  },
  {
    name: 'an empty duration',
    spec: { kubeProxy: { iptables: { syncPeriod: '' } } },
    refused: [
      'spec.kubeProxy.iptables.syncPeriod: Invalid value: "": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'minSyncPeriod above syncPeriod',
    spec: { kubeProxy: { iptables: { minSyncPeriod: '1m', syncPeriod: '10s' } } },
    refused: [
      'spec.kubeProxy.iptables.minSyncPeriod: Invalid value: "1m": must not be more than syncPeriod (default 30s): lower it, or raise syncPeriod',
    ],
    refusedByCrd: [
      'spec.kubeProxy.iptables.minSyncPeriod: Invalid value: must not be more than syncPeriod (default 30s): lower it, or raise syncPeriod',
    ],
  },
  {
    name: 'minSyncPeriod above the default of syncPeriod',
    spec: { kubeProxy: { mode: 'ipvs', ipvs: { minSyncPeriod: '31s' } } },
    refused: [
      'spec.kubeProxy.ipvs.minSyncPeriod: Invalid value: "31s": must not be more than syncPeriod (default 30s): lower it, or raise syncPeriod',
    ],
    refusedByCrd: [
      'spec.kubeProxy.ipvs.minSyncPeriod: Invalid value: must not be more than syncPeriod (default 30s): lower it, or raise syncPeriod',
    ],
  },
  {
    name: 'another mode of kube-proxy',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { kubeProxy: { mode: 'ipvs' } },
    refused: ['spec.kubeProxy.mode: Forbidden: cannot be changed after creation: it was not set'],
  },
];
