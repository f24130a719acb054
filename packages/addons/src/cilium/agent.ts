import type { PodSpec } from '@fairway/kube/kinds/generated/types';
import { apiServerVariables, fieldVariable } from '../pod-network/api-server.ts';
import { BPF_ROOT, CGROUP_ROOT, CNI_CONFIG_MOUNT, HOST_PROC, RUN_FOLDER, SETTINGS_FOLDER } from './paths.ts';
import { isOfReleaseLine } from './release-line.ts';

type Container = PodSpec['containers'][number];
type Probe = NonNullable<Container['livenessProbe']>;

/** The inputs for Cilium's containers. */
export interface CiliumFacts {
  /** Without `v`. */
  readonly version: string;
  /** The API server's URL. */
  readonly server: string;
  readonly configName: string;
}

/** The image registry; nodes try the operator's mirrors first. */
export const CILIUM_IMAGES = 'quay.io/cilium';

/** The agent's health endpoint, reachable only from its own node. */
const HEALTH_PORT = 9879;

/** SELinux type for processes that work on the node itself; has no effect if SELinux is disabled. */
export const NODE_SECURITY_CONTEXT = { seLinuxOptions: { level: 's0', type: 'spc_t' } };

const CAPABILITIES = [
  'CHOWN',
  'KILL',
  'NET_ADMIN',
  'NET_RAW',
  'IPC_LOCK',
  'SYS_MODULE',
  'SYS_ADMIN',
  'SYS_RESOURCE',
  'DAC_OVERRIDE',
  'FOWNER',
  'SETGID',
  'SETUID',
];

/** Identifies the node and namespace to all Cilium programs. */
export const NODE_VARIABLES = [
  fieldVariable('K8S_NODE_NAME', 'spec.nodeName'),
  fieldVariable('CILIUM_K8S_NAMESPACE', 'metadata.namespace'),
];

/** A node's network: addresses, routes, eBPF programs in its kernel, and policies. */
export function agent({ version, server }: CiliumFacts): Container {
  return {
    name: 'cilium-agent',
    image: `${CILIUM_IMAGES}/cilium:v${version}`,
    imagePullPolicy: 'IfNotPresent',
    command: ['cilium-agent'],
    args: [`--config-dir=${SETTINGS_FOLDER}`],
    env: [
      ...NODE_VARIABLES,
      { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1' } } },
      ...apiServerVariables(server),
      // In seconds. The backoff keeps agents that have lost their API server from all reconnecting at once.
      { name: 'KUBE_CLIENT_BACKOFF_BASE', value: '1' },
      { name: 'KUBE_CLIENT_BACKOFF_DURATION', value: '120' },
    ],
    ports: [{ name: 'health', containerPort: HEALTH_PORT, hostPort: HEALTH_PORT, protocol: 'TCP' }],
    startupProbe: { ...healthProbe(), initialDelaySeconds: 5, periodSeconds: 2, failureThreshold: 300 },
    // An agent that has lost its API server keeps running with its last known state.
    livenessProbe: {
      ...healthProbe({ name: 'require-k8s-connectivity', value: 'false' }),
      periodSeconds: 30,
      timeoutSeconds: 5,
      failureThreshold: 10,
    },
    readinessProbe: { ...healthProbe(), periodSeconds: 30, timeoutSeconds: 5, failureThreshold: 3 },
    lifecycle: { preStop: { exec: { command: ['/cni-uninstall.sh'] } } },
    resources: { requests: { cpu: '100m', memory: '200Mi' } },
    securityContext: {
      ...NODE_SECURITY_CONTEXT,
      capabilities: { add: [...CAPABILITIES, ...(isOfReleaseLine(version, '1.19') ? ['SYSLOG'] : [])], drop: ['ALL'] },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'host-proc-sys-net', mountPath: `${HOST_PROC}/sys/net` },
      { name: 'host-proc-sys-kernel', mountPath: `${HOST_PROC}/sys/kernel` },
      { name: 'bpf-maps', mountPath: BPF_ROOT, mountPropagation: 'HostToContainer' },
      { name: 'cilium-cgroup', mountPath: CGROUP_ROOT },
      { name: 'cilium-run', mountPath: RUN_FOLDER },
      { name: 'cilium-netns', mountPath: `${RUN_FOLDER}/netns`, mountPropagation: 'HostToContainer' },
      { name: 'cni-config', mountPath: CNI_CONFIG_MOUNT },
      { name: 'modules', mountPath: '/lib/modules', readOnly: true },
      { name: 'xtables-lock', mountPath: '/run/xtables.lock' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

function healthProbe(...headers: readonly { readonly name: string; readonly value: string }[]): Probe {
  const httpHeaders = [{ name: 'brief', value: 'true' }, ...headers];
  return { httpGet: { host: '127.0.0.1', path: '/healthz', port: 'health', scheme: 'HTTP', httpHeaders } };
}
