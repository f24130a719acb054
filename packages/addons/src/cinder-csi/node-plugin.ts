import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { ConfigMap, DaemonSet, PodSpec, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ADDON_NAMESPACE } from '../addon.ts';
import { nodeAgent } from '../node-agent.ts';
import { REGISTRY } from '../registry.ts';
import { LIVENESS_PROBE_VERSION, REGISTRAR_VERSION } from '../versions.ts';

/** Names as in upstream's manifests. */
export const PLUGIN_NAME = 'csi-cinder-nodeplugin';
export const PLUGIN_ACCOUNT = 'csi-cinder-node-sa';
export const PLUGIN_CONFIG = 'csi-cinder-nodeplugin';

const LABELS = { app: PLUGIN_NAME };
const CONFIG_FOLDER = '/etc/config';
const CONFIG_KEY = 'cloud.conf';
const KUBELET_FOLDER = '/var/lib/kubelet';
const SOCKET = '/csi/csi.sock';
/**
 * Open only on the node's loopback address. Many drivers use upstream's default port 9808, but only one driver per node
 * can use it.
 */
const HEALTH_PORT = 29_661;

/**
 * The number of volumes that a node accepts, which is the limit that clouds set per server. Hollow nodes report the
 * same number.
 */
const VOLUMES_PER_NODE = 100;

/** The plugin does not call the API server. */
export function serviceAccount(): ServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: PLUGIN_ACCOUNT, namespace: ADDON_NAMESPACE },
    automountServiceAccountToken: false,
  };
}

/**
 * The configuration contains no credential: the plugin reads its server's identity from the config drive, or, failing
 * that, from the metadata service.
 */
export function configMap(): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: PLUGIN_CONFIG, namespace: ADDON_NAMESPACE, labels: LABELS },
    data: { [CONFIG_KEY]: `[BlockStorage]\nnode-volume-attach-limit = ${VOLUMES_PER_NODE}\n` },
  };
}

/** The node service of the driver: it creates file systems and mounts them. */
export function daemonSet(version: string, configRevision: string): DaemonSet {
  return nodeAgent({
    name: PLUGIN_NAME,
    labels: LABELS,
    account: PLUGIN_ACCOUNT,
    configRevision,
    pod: {
      containers: [pluginContainer(version), registrarContainer(), livenessProbe()],
      volumes: [
        {
          name: 'socket-dir',
          hostPath: { path: `${KUBELET_FOLDER}/plugins/${CINDER_DRIVER}`, type: 'DirectoryOrCreate' },
        },
        {
          name: 'registration-dir',
          hostPath: { path: `${KUBELET_FOLDER}/plugins_registry`, type: 'DirectoryOrCreate' },
        },
        { name: 'kubelet-dir', hostPath: { path: KUBELET_FOLDER, type: 'Directory' } },
        { name: 'devices', hostPath: { path: '/dev', type: 'Directory' } },
        { name: 'config', configMap: { name: PLUGIN_CONFIG } },
      ],
    },
  });
}

type Container = PodSpec['containers'][number];

function pluginContainer(version: string): Container {
  return {
    name: 'cinder-csi-plugin',
    image: `${REGISTRY}/provider-os/cinder-csi-plugin:v${version}`,
    imagePullPolicy: 'IfNotPresent',
    args: [
      '/bin/cinder-csi-plugin',
      `--endpoint=unix:/${SOCKET}`,
      '--provide-controller-service=false',
      `--cloud-config=${CONFIG_FOLDER}/${CONFIG_KEY}`,
      '--v=1',
    ],
    // It mounts volumes for other pods.
    securityContext: { privileged: true },
    resources: { requests: { cpu: '10m', memory: '42Mi' } },
    livenessProbe: {
      httpGet: { host: '127.0.0.1', path: '/healthz', port: HEALTH_PORT },
      initialDelaySeconds: 10,
      periodSeconds: 10,
      timeoutSeconds: 3,
      failureThreshold: 5,
    },
    volumeMounts: [
      { name: 'socket-dir', mountPath: '/csi' },
      { name: 'kubelet-dir', mountPath: KUBELET_FOLDER, mountPropagation: 'Bidirectional' },
      { name: 'devices', mountPath: '/dev', mountPropagation: 'HostToContainer' },
      { name: 'config', mountPath: CONFIG_FOLDER, readOnly: true },
    ],
  };
}

/** Registers the driver with the kubelet, which adds it to the node's CSINode. */
function registrarContainer(): Container {
  return {
    name: 'node-driver-registrar',
    image: `${REGISTRY}/sig-storage/csi-node-driver-registrar:v${REGISTRAR_VERSION}`,
    imagePullPolicy: 'IfNotPresent',
    args: [
      `--csi-address=${SOCKET}`,
      `--kubelet-registration-path=${KUBELET_FOLDER}/plugins/${CINDER_DRIVER}/csi.sock`,
    ],
    resources: { requests: { cpu: '1m', memory: '16Mi' } },
    volumeMounts: [
      { name: 'socket-dir', mountPath: '/csi' },
      { name: 'registration-dir', mountPath: '/registration' },
    ],
  };
}

function livenessProbe(): Container {
  return {
    name: 'liveness-probe',
    image: `${REGISTRY}/sig-storage/livenessprobe:v${LIVENESS_PROBE_VERSION}`,
    imagePullPolicy: 'IfNotPresent',
    args: [`--csi-address=${SOCKET}`, `--http-endpoint=127.0.0.1:${HEALTH_PORT}`],
    resources: { requests: { cpu: '1m', memory: '16Mi' } },
    volumeMounts: [{ name: 'socket-dir', mountPath: '/csi' }],
  };
}
