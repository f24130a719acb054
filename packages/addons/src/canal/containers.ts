import { compareVersions } from '@fairway/api/domain/version-numbers';
import type { PodSpec } from '@fairway/kube/kinds/generated/types';
import { apiServerVariables, fieldVariable } from '../pod-network/api-server.ts';
import { CNI_FILE, CNI_KEY } from './configuration.ts';
import { PLUGIN_ACCOUNT_NAME } from './roles.ts';

type Container = PodSpec['containers'][number];

/** The image registry; nodes try the operator's mirrors first. */
const CALICO_IMAGES = 'quay.io/calico';

/**
 * The first version of flannel whose images are on ghcr.io; catalogues from earlier releases may specify an older one.
 */
const FIRST_GHCR_VERSION = '0.26.4';
const EXACT_VERSION = /^(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){2}$/;

function flannelImage(version: string): string {
  const isOld = EXACT_VERSION.test(version) && compareVersions(version, FIRST_GHCR_VERSION) < 0;
  return `${isOld ? 'docker.io/flannel/flannel' : 'ghcr.io/flannel-io/flannel'}:v${version}`;
}

/** The inputs for Canal's containers. */
export interface CanalFacts {
  /** Without `v`. */
  readonly calicoVersion: string;
  readonly flannelVersion: string;
  /** The API server's URL. */
  readonly server: string;
  readonly configName: string;
}

/** Installs the CNI plugins and their configuration on the node, and exits. */
export function installContainer(facts: CanalFacts): Container {
  const config = { configMapKeyRef: { name: facts.configName, key: CNI_KEY } };
  return {
    name: 'install-cni',
    image: `${CALICO_IMAGES}/cni:v${facts.calicoVersion}`,
    imagePullPolicy: 'IfNotPresent',
    command: ['/opt/cni/bin/install'],
    env: [
      ...apiServerVariables(facts.server),
      { name: 'CNI_CONF_NAME', value: CNI_FILE },
      { name: 'CNI_NETWORK_CONFIG', valueFrom: config },
      { name: 'CALICO_CNI_SERVICE_ACCOUNT', value: PLUGIN_ACCOUNT_NAME },
      fieldVariable('KUBERNETES_NODE_NAME', 'spec.nodeName'),
      { name: 'SLEEP', value: 'false' },
    ],
    // It writes to root-owned directories on the node.
    securityContext: { privileged: true },
    volumeMounts: [
      { name: 'cni-bin', mountPath: '/host/opt/cni/bin' },
      { name: 'cni-config', mountPath: '/host/etc/cni/net.d' },
    ],
  };
}

/** Felix, which enforces NetworkPolicies. flannel does everything else that calico-node could also do. */
export function policyAgentContainer(facts: CanalFacts): Container {
  return {
    name: 'calico-node',
    image: `${CALICO_IMAGES}/node:v${facts.calicoVersion}`,
    imagePullPolicy: 'IfNotPresent',
    env: [
      ...apiServerVariables(facts.server),
      fieldVariable('NODENAME', 'spec.nodeName'),
      { name: 'DATASTORE_TYPE', value: 'kubernetes' },
      { name: 'WAIT_FOR_DATASTORE', value: 'true' },
      { name: 'USE_POD_CIDR', value: 'true' },
      { name: 'NO_DEFAULT_POOLS', value: 'true' },
      { name: 'CALICO_NETWORKING_BACKEND', value: 'none' },
      { name: 'CLUSTER_TYPE', value: 'k8s,canal' },
      { name: 'CALICO_CNI_SERVICE_ACCOUNT', value: PLUGIN_ACCOUNT_NAME },
      { name: 'CALICO_DISABLE_FILE_LOGGING', value: 'true' },
      { name: 'IP', value: '' },
      { name: 'FELIX_DEFAULTENDPOINTTOHOSTACTION', value: 'ACCEPT' },
      { name: 'FELIX_HEALTHENABLED', value: 'true' },
      { name: 'FELIX_IPV6SUPPORT', value: 'false' },
      { name: 'FELIX_IPTABLESREFRESHINTERVAL', value: '60' },
      // Pods must not send larger packets than the overlay accepts; flannel determines the limit.
      { name: 'FELIX_MTUIFACEPATTERN', value: '^flannel\\.1$' },
      // A tenant's cluster does not send data that its owner has not asked for.
      { name: 'FELIX_USAGEREPORTINGENABLED', value: 'false' },
    ],
    // It writes the node's rules and kernel settings.
    securityContext: { privileged: true },
    resources: { requests: { cpu: '100m', memory: '100Mi' } },
    lifecycle: { preStop: { exec: { command: ['/bin/calico-node', '-shutdown'] } } },
    livenessProbe: {
      exec: { command: ['/bin/calico-node', '-felix-live'] },
      initialDelaySeconds: 10,
      periodSeconds: 10,
      timeoutSeconds: 10,
      failureThreshold: 6,
    },
    readinessProbe: {
      httpGet: { host: 'localhost', path: '/readiness', port: 9099 },
      periodSeconds: 10,
      timeoutSeconds: 10,
    },
    volumeMounts: [
      { name: 'cni-config', mountPath: '/host/etc/cni/net.d' },
      { name: 'modules', mountPath: '/lib/modules', readOnly: true },
      { name: 'xtables-lock', mountPath: '/run/xtables.lock' },
      { name: 'calico-run', mountPath: '/var/run/calico' },
      { name: 'calico-state', mountPath: '/var/lib/calico' },
    ],
  };
}

/** flannel: the overlay network between the nodes, and outbound traffic. */
export function overlayContainer(facts: CanalFacts): Container {
  return {
    name: 'kube-flannel',
    image: flannelImage(facts.flannelVersion),
    imagePullPolicy: 'IfNotPresent',
    command: ['/opt/bin/flanneld', '--ip-masq', '--kube-subnet-mgr'],
    env: [
      ...apiServerVariables(facts.server),
      fieldVariable('POD_NAME', 'metadata.name'),
      fieldVariable('POD_NAMESPACE', 'metadata.namespace'),
    ],
    // It creates an interface with its routes and rules.
    securityContext: { privileged: true },
    resources: { requests: { cpu: '50m', memory: '50Mi' } },
    volumeMounts: [
      { name: 'flannel-config', mountPath: '/etc/kube-flannel' },
      { name: 'flannel-run', mountPath: '/run/flannel' },
      { name: 'xtables-lock', mountPath: '/run/xtables.lock' },
    ],
  };
}
