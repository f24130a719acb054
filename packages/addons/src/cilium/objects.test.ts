import type { ClusterRole, ConfigMap, DaemonSet, Deployment } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { type AddonFacts, objectKey } from '../addon.ts';
import { someFacts } from '../testing/facts.ts';
import { cilium } from './objects.ts';

const LINES = [
  { kubernetes: '1.31.9', version: '1.18.14' },
  { kubernetes: '1.32.9', version: '1.19.8' },
  { kubernetes: '1.36.3', version: '1.20.2' },
];

function objectOf(key: string, facts: Partial<AddonFacts> = {}): KubeObject {
  const found = cilium(someFacts(facts)).objects.find((each) => objectKey(each) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.object;
}

const agentOf = (facts?: Partial<AddonFacts>) => {
  const { spec } = (objectOf('DaemonSet.apps/cilium', facts) as DaemonSet).spec.template;
  if (spec === undefined) throw new Error('it has no pods');
  return spec;
};
const operatorOf = (facts?: Partial<AddonFacts>) => {
  const { spec } = (objectOf('Deployment.apps/cilium-operator', facts) as Deployment).spec.template;
  if (spec === undefined) throw new Error('it has no pods');
  return spec;
};
const settingsOf = (facts?: Partial<AddonFacts>) =>
  (objectOf('ConfigMap./cilium-config', facts) as ConfigMap).data ?? {};

/** Expected values are from upstream's chart with the values of decision 51, in 1.18.12, 1.19.6 and 1.20.2. */
describe('Cilium compared with upstream', () => {
  test.each(LINES)('has the same images: $version for $kubernetes', ({ kubernetes, version }) => {
    const { initContainers = [], containers } = agentOf({ version: kubernetes });
    const images = [...initContainers, ...containers].map(({ image }) => image);

    expect(new Set(images)).toEqual(new Set([`quay.io/cilium/cilium:v${version}`]));
    expect(operatorOf({ version: kubernetes }).containers.map(({ image }) => image)).toEqual([
      `quay.io/cilium/operator-generic:v${version}`,
    ]);
  });

  test.each([
    ['ipam', 'kubernetes'],
    ['routing-mode', 'tunnel'],
    ['tunnel-protocol', 'vxlan'],
    ['enable-ipv4', 'true'],
    ['enable-ipv6', 'false'],
    ['enable-ipv4-masquerade', 'true'],
    ['identity-allocation-mode', 'crd'],
    ['cni-exclusive', 'true'],
    ['custom-cni-conf', 'false'],
    ['write-cni-conf-when-ready', '/host/etc/cni/net.d/05-cilium.conflist'],
    ['preallocate-bpf-maps', 'false'],
    ['bpf-map-dynamic-size-ratio', '0.0025'],
    ['monitor-aggregation', 'medium'],
    ['monitor-aggregation-flags', 'all'],
    ['enable-well-known-identities', 'false'],
    ['enable-k8s-networkpolicy', 'true'],
    ['enable-non-default-deny-policies', 'true'],
    ['enable-source-ip-verification', 'true'],
    ['dnsproxy-enable-transparent-mode', 'true'],
    ['enable-l7-proxy', 'true'],
    ['external-envoy-proxy', 'false'],
    ['bpf-root', '/sys/fs/bpf'],
    ['cgroup-root', '/sys/fs/cgroup'],
    ['procfs', '/host/proc'],
    ['operator-api-serve-addr', '127.0.0.1:9234'],
    ['agent-not-ready-taint-key', 'node.cilium.io/agent-not-ready'],
    ['remove-cilium-node-taints', 'true'],
    ['unmanaged-pod-watcher-interval', '0'],
  ])('has the same setting %s: %s', (key, value) => {
    expect(LINES.map(({ kubernetes }) => settingsOf({ version: kubernetes })[key])).toEqual([value, value, value]);
  });

  test.each([
    { mode: 'iptables', replaces: 'false' },
    { mode: 'nftables', replaces: 'false' },
    { mode: 'none', replaces: 'true' },
  ])('replaces kube-proxy in mode $mode: $replaces', ({ mode, replaces }) => {
    expect(settingsOf({ kubeProxy: { mode } })['kube-proxy-replacement']).toBe(replaces);
  });

  test.each([
    { kubernetes: '1.31.9', mode: undefined, syslog: false },
    { kubernetes: '1.32.9', mode: undefined, syslog: true },
    { kubernetes: '1.36.3', mode: 'ads', syslog: true },
  ])('has the settings of the release line of $kubernetes', ({ kubernetes, mode, syslog }) => {
    const [agent] = agentOf({ version: kubernetes }).containers;

    expect(settingsOf({ version: kubernetes })['envoy-xds-mode']).toBe(mode);
    expect(agent?.securityContext?.capabilities?.add?.includes('SYSLOG')).toBe(syslog);
  });

  test.each([
    { name: 'config', add: ['NET_ADMIN'], mounts: ['/tmp'] },
    {
      name: 'apply-sysctl-overwrites',
      add: ['SYS_ADMIN', 'SYS_CHROOT', 'SYS_PTRACE'],
      mounts: ['/hostproc', '/hostbin'],
    },
    { name: 'mount-bpf-fs', add: undefined, mounts: ['/sys/fs/bpf'] },
    {
      name: 'clean-cilium-state',
      add: ['NET_ADMIN', 'SYS_MODULE', 'SYS_ADMIN', 'SYS_RESOURCE'],
      mounts: ['/sys/fs/bpf', '/sys/fs/cgroup', '/var/run/cilium'],
    },
    { name: 'install-cni-binaries', add: undefined, mounts: ['/host/opt/cni/bin'] },
    {
      name: 'cilium-agent',
      add: [
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
        'SYSLOG',
      ],
      mounts: [
        '/host/proc/sys/net',
        '/host/proc/sys/kernel',
        '/sys/fs/bpf',
        '/sys/fs/cgroup',
        '/var/run/cilium',
        '/var/run/cilium/netns',
        '/host/etc/cni/net.d',
        '/lib/modules',
        '/run/xtables.lock',
        '/tmp',
      ],
    },
  ])('gives $name the same capabilities and mounts', ({ name, add, mounts }) => {
    const { initContainers = [], containers } = agentOf({ version: '1.36.3' });
    const container = [...initContainers, ...containers].find((each) => each.name === name);

    expect(container?.securityContext?.capabilities?.add).toEqual(add);
    expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(mounts);
  });

  test.each([
    { name: 'the agent', spec: agentOf, startup: { periodSeconds: 2, failureThreshold: 300 } },
    { name: 'the operator', spec: operatorOf, startup: undefined },
  ])("probes $name on its node's loopback address", ({ spec, startup }) => {
    const [container] = spec().containers;
    const { livenessProbe, readinessProbe, startupProbe } = container ?? {};

    for (const probe of [livenessProbe, readinessProbe]) {
      expect(probe?.httpGet).toMatchObject({ host: '127.0.0.1', path: '/healthz', port: 'health' });
    }
    expect(startupProbe && { ...startupProbe, httpGet: undefined, initialDelaySeconds: undefined }).toEqual(startup);
  });
});

describe('Fairway’s Cilium', () => {
  test('runs only one privileged container, which exits', () => {
    const { initContainers = [], containers } = agentOf();
    const privileged = [...initContainers, ...containers, ...operatorOf().containers].filter(
      ({ securityContext }) => securityContext?.privileged,
    );

    expect(privileged.map(({ name }) => name)).toEqual(['mount-bpf-fs']);
  });

  test.each(['ClusterRole.rbac.authorization.k8s.io', 'Role.rbac.authorization.k8s.io'])(
    'cannot read Secrets or write pods in a %s',
    (kind) => {
      const rules = ['cilium', 'cilium-operator'].flatMap(
        (account) => (objectOf(`${kind}/fairway:${account}`) as ClusterRole).rules ?? [],
      );
      const verbsOf = (resource: string) =>
        rules.flatMap(({ resources, verbs }) => (resources?.includes(resource) ? verbs : []));
      const writeVerbs = ['pods', 'daemonsets']
        .flatMap(verbsOf)
        .filter((verb) => !['get', 'list', 'watch'].includes(verb));

      expect(rules.flatMap(({ resources = [], apiGroups = [] }) => [...resources, ...apiGroups])).not.toContain('*');
      expect(verbsOf('secrets')).toEqual([]);
      expect(writeVerbs).toEqual([]);
    },
  );

  test.each(['cilium-mount', 'hubble', 'prometheus'])('does not mention %s', (word) => {
    const { 'enable-hubble': isHubbleEnabled, ...settings } = settingsOf();

    expect(isHubbleEnabled).toBe('false');
    expect(JSON.stringify([agentOf(), operatorOf(), settings])).not.toContain(word);
  });

  test('reaches the API server without Services', () => {
    const server = 'https://203.0.113.7';
    const { initContainers = [], containers } = agentOf({ server });
    const clients = [...initContainers, ...containers, ...operatorOf({ server }).containers].filter(({ name }) =>
      ['config', 'clean-cilium-state', 'cilium-agent', 'cilium-operator'].includes(name),
    );

    expect(clients).toHaveLength(4);
    for (const { env } of clients) {
      expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: '203.0.113.7' });
      expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_PORT', value: '443' });
    }
  });

  test('replaces agents and operator when their settings change', () => {
    const revisionsOf = (mode: string) =>
      ['DaemonSet.apps/cilium', 'Deployment.apps/cilium-operator'].map(
        (key) =>
          (objectOf(key, { kubeProxy: { mode } }) as Deployment).spec.template.metadata?.annotations?.[
            'fairway.dev/addon-config'
          ],
      );
    const [[agents, operator], others] = [revisionsOf('iptables'), revisionsOf('none')];

    expect(agents).toBe(operator);
    expect(others).not.toContain(agents);
  });

  test.each([1, 2, 9])('runs one evictable operator on %s nodes, which tolerates all taints', (nodeCount) => {
    const { spec } = objectOf('Deployment.apps/cilium-operator', {
      nodeCount,
      hasSeveralNodes: nodeCount > 1,
    }) as Deployment;
    const { tolerations } = operatorOf();

    expect(spec.replicas).toBe(1);
    expect(spec.template.metadata?.annotations).toMatchObject({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
    });
    // The first toleration that matches a taint applies: it lets the pod be evicted from a node that no longer exists.
    expect(tolerations).toEqual([
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
      { operator: 'Exists' },
    ]);
  });
});
