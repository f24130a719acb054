import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../../bootstrap/node-config.ts';
import {
  MAX_USER_DATA_BASE64,
  nodeCloudConfig,
  nodeUserData,
  UserDataTooLargeError,
} from '../../bootstrap/node-user-data.ts';

const CLOUD_INIT = 'cloud-init';

/** Only the format matters; the certificate is never parsed here. */
const AUTHORITY = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const config: NodeConfig = {
  nodeName: 'demo-general-x2k4q',
  server: 'https://127.0.0.1:6443',
  certificateAuthority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  bootstrapToken: 'abcdef.0123456789abcdef',
  version: '1.35.8',
  components: { containerd: '2.2.7', pause: '3.10.1' },
  serviceCIDR: '10.3.0.0/16',
  podCIDR: '10.2.0.0/16',
  maxPods: 110,
  size: { vcpus: 4, memoryMiB: 16_384, diskGiB: 100 },
  labels: { 'fairway.dev/node-pool': 'general', tier: 'gold', 'node-role.kubernetes.io/worker': '' },
  taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
  kubeProxyMode: 'iptables',
};

const richConfig: NodeConfig = {
  ...config,
  kubeProxyMode: 'ipvs',
  failCgroupV1: false,
  restrictOOMScoreAdj: true,
  registryMirrors: [
    { registry: 'docker.io', mirrors: [{ url: 'https://mirror.example.com' }] },
    { registry: 'registry.k8s.io', mirrors: [{ url: 'https://mirror.example.com' }] },
  ],
  proxy: { httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3128', noProxy: ['10.0.0.0/8', '.svc'] },
  extraCertificateAuthorities: [config.certificateAuthority],
  packageSources: { kubernetes: 'https://mirror.example.com/k8s', containerd: 'https://mirror.example.com/docker' },
};

interface CloudConfig {
  readonly hostname: string;
  readonly write_files: readonly { readonly path: string; readonly content: string; readonly permissions: string }[];
  readonly runcmd: readonly (readonly string[])[];
  readonly ca_certs?: { readonly trusted: readonly string[] };
}

function files(nodeConfig: NodeConfig): Map<string, string> {
  const document = load(nodeCloudConfig(nodeConfig)) as CloudConfig;
  return new Map(document.write_files.map(({ path, content }) => [path, content]));
}

describe('nodeCloudConfig', () => {
  it('starts with the header that cloud-init requires', () => {
    expect(nodeCloudConfig(config).split('\n')[0]).toBe('#cloud-config');
  });

  it('configures kubelet', () => {
    expect(load(files(config).get('/var/lib/kubelet/config.yaml') ?? '')).toMatchObject({
      kind: 'KubeletConfiguration',
      cgroupDriver: 'systemd',
      clusterDNS: ['10.3.0.10'],
      kubeReserved: { cpu: '170m', memory: '1590M', 'ephemeral-storage': '30G' },
      maxPods: 110,
      rotateCertificates: true,
      serverTLSBootstrap: true,
      registerWithTaints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
    });
  });

  it('configures kubelet as the pool specifies, and keeps the other settings', () => {
    const kubelet = {
      podPidsLimit: 4096,
      kubeReserved: { cpu: '500m' },
      systemReserved: { memory: '1Gi' },
      evictionHard: { 'memory.available': '500Mi' },
      allowedUnsafeSysctls: ['net.*'],
    };
    expect(load(files({ ...config, kubelet, maxPods: 60 }).get('/var/lib/kubelet/config.yaml') ?? '')).toMatchObject({
      podPidsLimit: 4096,
      maxPods: 60,
      kubeReserved: { cpu: '500m', memory: '1590M', 'ephemeral-storage': '30G' },
      systemReserved: { memory: '1Gi' },
      evictionHard: { 'memory.available': '500Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
      allowedUnsafeSysctls: ['net.*'],
      shutdownGracePeriod: '60s',
      authorization: { mode: 'Webhook' },
    });
  });

  it('does not set providerID or the cgroup version by default', () => {
    const kubelet = load(files(config).get('/var/lib/kubelet/config.yaml') ?? '');
    expect(kubelet).not.toHaveProperty('providerID');
    expect(kubelet).not.toHaveProperty('failCgroupV1');
    expect(load(files(richConfig).get('/var/lib/kubelet/config.yaml') ?? '')).toMatchObject({ failCgroupV1: false });
  });

  it('sets only kubelet labels that NodeRestriction allows', () => {
    expect(files(config).get('/etc/default/kubelet')).toBe(
      'KUBELET_EXTRA_ARGS=--node-labels=fairway.dev/node-pool=general,tier=gold --cloud-provider=external --hostname-override=demo-general-x2k4q\n',
    );
  });

  it('makes the bootstrap credential readable only by root', () => {
    const document = load(nodeCloudConfig(config)) as CloudConfig;
    const file = document.write_files.find(({ path }) => path === '/etc/kubernetes/bootstrap-kubeconfig');
    expect(file?.permissions).toBe('0600');
    expect(load(file?.content ?? '')).toMatchObject({
      clusters: [{ cluster: { server: config.server } }],
      users: [{ user: { token: config.bootstrapToken } }],
    });
    expect(files(config).get('/etc/kubernetes/pki/ca.crt')).toBe(config.certificateAuthority);
  });

  it('contains a script that bash parses, for minimal and full configurations', () => {
    for (const nodeConfig of [config, richConfig]) {
      const document = load(nodeCloudConfig(nodeConfig)) as CloudConfig;
      const script = document.write_files.find(({ path }) => path === '/usr/local/lib/fairway/install-node');
      expect(script?.permissions).toBe('0755');
      const check = spawnSync('bash', ['-n'], { input: script?.content, encoding: 'utf8' });
      expect({ status: check.status, stderr: check.stderr }).toEqual({ status: 0, stderr: '' });
      expect(script?.content).toContain("'kubelet=1.35.8-*'");
      expect(script?.content).toContain("'containerd.io=2.2.*'");
    }
  });

  it.each([
    ['containerd containerd.io v2.2.0 1c4457e', 'kept', 'kept'],
    ['containerd github.com/containerd/containerd/v2 2.1.3-0ubuntu3~24.04.1 ', 'kept', 'kept'],
    ['containerd github.com/containerd/containerd 1.7.24 ', 'kept', 'replaced'],
    ['containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3', 'kept', 'replaced'],
    ['containerd github.com/containerd/containerd 1.5.9-0ubuntu1~20.04.4 ', 'replaced', 'replaced'],
    ['', 'replaced', 'replaced'],
  ])(
    'a containerd in the image that reports %j is %s for 1.36 and %s for 1.37, which has no cgroup driver setting',
    (line, for36, for37) => {
      const settingsFor = (version: string) => {
        const script = files({ ...config, version }).get('/usr/local/lib/fairway/install-node') ?? '';
        const [, pattern = ''] = /containerd --version .* grep -qE '([^']+)'/.exec(script) ?? [];
        const grep = spawnSync('grep', ['-qE', pattern], { input: `${line}\n` });
        return grep.status === 0 ? 'kept' : 'replaced';
      };
      expect(settingsFor('1.36.3')).toBe(for36);
      expect(settingsFor('1.37.0')).toBe(for37);
    },
  );

  it('installs a unit that runs at every boot until it has succeeded once', () => {
    const document = load(nodeCloudConfig(config)) as CloudConfig;
    const unit = files(config).get('/etc/systemd/system/fairway-node.service');

    expect(document.runcmd.at(-1)).toEqual(['systemctl', 'start', 'fairway-node.service']);
    expect(files(config).get('/etc/systemd/system/multi-user.target.d/10-fairway.conf')).toContain(
      'Wants=fairway-node.service',
    );
    expect(unit).toContain('ExecStart=/usr/local/lib/fairway/install-node\nRestart=on-failure\n');
    const [, marker = ''] = /^ConditionPathExists=!(\S+)$/m.exec(unit ?? '') ?? [];
    const script = files(config).get('/usr/local/lib/fairway/install-node') ?? '';
    expect(script.trimEnd().split('\n').at(-1)).toBe(`install -D /dev/null ${marker}`);
  });

  it('configures containerd using the configuration version that 1.6 through 2.x can read', () => {
    const toml = files(config).get('/etc/containerd/config.toml') ?? '';
    expect(toml).toMatch(/^version = 2\n/);
    expect(toml).toContain('sandbox_image = "registry.k8s.io/pause:3.10.1"');
    expect(toml).not.toContain('restrict_oom_score_adj');
    expect(files(richConfig).get('/etc/containerd/config.toml')).toContain('restrict_oom_score_adj = true');
  });

  it('configures the specified package repositories', () => {
    const script = files(richConfig).get('/usr/local/lib/fairway/install-node') ?? '';
    expect(script).toContain("'https://mirror.example.com/k8s/v1.35/deb/'");
    expect(script).not.toContain('pkgs.k8s.io');
    expect(script).not.toContain('download.docker.com');
  });

  it('writes mirrors, proxies and kernel modules if configured', () => {
    const richFiles = files(richConfig);
    expect(richFiles.get('/etc/containerd/certs.d/docker.io/hosts.toml')).toContain(
      'server = "https://registry-1.docker.io"',
    );
    expect(richFiles.get('/etc/systemd/system/kubelet.service.d/20-proxy.conf')).toContain('NO_PROXY=10.0.0.0/8,.svc,');
    expect(richFiles.get('/etc/modules-load.d/kubernetes.conf')).toContain('ip_vs_rr');
    expect(files(config).has('/etc/systemd/system/kubelet.service.d/20-proxy.conf')).toBe(false);
    expect(files(config).get('/etc/modules-load.d/kubernetes.conf')).not.toContain('ip_vs');
  });

  it.skipIf(!hasTomlParser())('writes mirrors as TOML that a parser reads (skipped without python3 tomllib)', () => {
    const mirrors = [
      { url: 'https://harbor.example.com/v2/cache', certificateAuthority: AUTHORITY },
      { url: 'http://[fd00::1]:5000' },
    ];
    const writtenFiles = files({ ...config, registryMirrors: [{ registry: 'registry.example.com:5000', mirrors }] });
    const folder = '/etc/containerd/certs.d/registry.example.com:5000';

    expect(parseToml(writtenFiles.get(`${folder}/hosts.toml`) ?? '')).toEqual({
      server: 'https://registry.example.com:5000',
      host: {
        'https://harbor.example.com/v2/cache': {
          capabilities: ['pull', 'resolve'],
          ca: `${folder}/mirror-0.crt`,
          override_path: true,
        },
        'http://[fd00::1]:5000': { capabilities: ['pull', 'resolve'] },
      },
    });
    expect(writtenFiles.get(`${folder}/mirror-0.crt`)).toBe(AUTHORITY);
  });

  it('configures additional interfaces by MAC address, with routes only for the subnet', () => {
    const additionalInterfaces = [
      { macAddress: 'fa:16:3e:00:00:01', address: '10.60.0.7/24', mtu: 1450, routes: [] },
      {
        macAddress: 'fa:16:3e:00:00:02',
        address: '10.61.0.7/25',
        routes: [{ destination: '192.0.2.0/24', gateway: '10.61.0.1' }],
      },
    ];
    const withTwo = { ...config, additionalInterfaces };
    const { runcmd } = load(nodeCloudConfig(withTwo)) as { runcmd: string[][] };

    expect(files(withTwo).get('/etc/systemd/network/05-fairway-further-0.network')).toBe(
      `[Match]
MACAddress=fa:16:3e:00:00:01
Kind=!*

[Link]
RequiredForOnline=no
MTUBytes=1450

[Network]
DHCP=no
LinkLocalAddressing=no
IPv6AcceptRA=no
Address=10.60.0.7/24
`,
    );
    expect(files(withTwo).get('/etc/systemd/network/05-fairway-further-1.network')).toContain(
      'Address=10.61.0.7/25\n\n[Route]\nDestination=192.0.2.0/24\nGateway=10.61.0.1\n',
    );
    expect(runcmd[0]?.[2]).toContain("grep -qixE 'fa:16:3e:00:00:01|fa:16:3e:00:00:02'");
    expect(spawnSync('sh', ['-n', '-c', runcmd[0]?.[2] ?? 'false']).status).toBe(0);
    expect(runcmd.slice(1)).toEqual((load(nodeCloudConfig(config)) as { runcmd: string[][] }).runcmd);
  });

  it('reaches the cluster, its nodes and the metadata service without a proxy', () => {
    const proxy = { httpsProxy: 'http://u%40:p@proxy:3128', noProxy: [] };
    const writtenFiles = files({ ...config, proxy, nodesCIDR: '10.1.0.0/20' });
    const dropIn = writtenFiles.get('/etc/systemd/system/containerd.service.d/20-proxy.conf') ?? '';

    expect(dropIn).toContain('Environment="HTTPS_PROXY=http://u%%40:p@proxy:3128"');
    const [, list = ''] = /NO_PROXY=([^"]*)/.exec(dropIn) ?? [];
    expect(list.split(',')).toEqual(
      expect.arrayContaining(['127.0.0.1', '169.254.169.254', '10.1.0.0/20', '10.2.0.0/16', '10.3.0.0/16']),
    );
  });

  it('removes CNI’s pod state at each boot, including empty files left by a power cut', () => {
    const lines = files(config).get('/etc/tmpfiles.d/kubernetes.conf')?.trim().split('\n');

    // The exclamation mark means: only at boot, never while pods are running.
    expect(lines).toEqual(['R! /var/lib/cni/results', 'R! /var/lib/cni/networks']);
  });

  it('exempts the cluster’s ranges from the proxy, regardless of what the operator lists', () => {
    const paths = [
      '/etc/systemd/system/containerd.service.d/20-proxy.conf',
      '/etc/systemd/system/kubelet.service.d/20-proxy.conf',
      '/usr/local/lib/fairway/install-node',
    ];
    for (const path of paths) {
      const [, list = ''] = /no_proxy='?([^'"\n]*)/i.exec(files(richConfig).get(path) ?? '') ?? [];
      expect(list.split(',')).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '127.0.0.1', '10.2.0.0/16', '10.3.0.0/16', '.svc', '.cluster.local']),
      );
      expect(new Set(list.split(',')).size).toBe(list.split(',').length);
    }
  });

  it('exempts hosts from the apt proxy one by one, because apt does not support networks', () => {
    const proxy = { httpsProxy: 'http://proxy:3128', noProxy: ['mirror.example.com', '10.0.0.0/8', '.svc'] };
    const { apt } = load(nodeCloudConfig({ ...config, proxy })) as { apt: { conf: string; https_proxy: string } };

    expect(apt.https_proxy).toBe('http://proxy:3128');
    expect(apt).not.toHaveProperty('http_proxy');
    expect(apt.conf).toContain('Acquire::https::Proxy::mirror.example.com "DIRECT";\n');
    expect(apt.conf).not.toMatch(/10\.0\.0\.0\/8|\.svc/);
  });

  it.skipIf(!hasCloudInit())('passes cloud-init schema (skipped without cloud-init)', () => {
    for (const nodeConfig of [config, richConfig]) {
      const folder = mkdtempSync(join(tmpdir(), 'fairway-cloud-init-'));
      try {
        const path = join(folder, 'user-data');
        writeFileSync(path, nodeCloudConfig(nodeConfig));
        const check = spawnSync(CLOUD_INIT, ['schema', '--config-file', path], { encoding: 'utf8' });
        expect({ status: check.status, output: check.stdout + check.stderr }).toEqual({
          status: 0,
          output: expect.stringContaining('Valid cloud-config'),
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  });
});

describe('nodeUserData', () => {
  it('is uncompressed if it fits', () => {
    const userData = nodeUserData(config);
    expect(userData.length).toBeLessThan(16_384);
    expect(Buffer.from(userData, 'base64').toString()).toBe(nodeCloudConfig(config));
  });

  it('is compressed if necessary', () => {
    const large = { ...config, extraCertificateAuthorities: Array.from({ length: 40 }, () => 'A'.repeat(2000)) };
    const userData = nodeUserData(large);
    expect(userData.length).toBeLessThanOrEqual(MAX_USER_DATA_BASE64);
    expect(gunzipSync(Buffer.from(userData, 'base64')).toString()).toBe(nodeCloudConfig(large));
  });

  it('rejects user data that cannot fit', () => {
    let state = 1;
    const noise = Array.from({ length: 120_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return String.fromCharCode(33 + (state % 90));
    }).join('');
    expect(() => nodeUserData({ ...config, extraCertificateAuthorities: [noise] })).toThrow(UserDataTooLargeError);
  });
});

const TOML = 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))';

function hasTomlParser(): boolean {
  return spawnSync('python3', ['-c', 'import tomllib']).status === 0;
}

function parseToml(text: string): unknown {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', TOML], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function hasCloudInit(): boolean {
  return spawnSync(CLOUD_INIT, ['--version']).status === 0;
}
