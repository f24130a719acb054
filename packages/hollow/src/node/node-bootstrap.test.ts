import { gzipSync } from 'node:zlib';
import type { NodeConfig } from '@fairway/control-plane/bootstrap/node-config';
import { nodeCloudConfig, nodeUserData } from '@fairway/control-plane/bootstrap/node-user-data';
import { describe, expect, it } from 'vitest';
import { parseCloudConfig, UserDataError } from './cloud-init.ts';
import { parseKubeletFlags } from './kubelet-flags.ts';
import { isNodeUserData, parseUserData } from './node-bootstrap.ts';
import { userDataOf } from './testing/node-cluster.ts';

const CONFIG: NodeConfig = {
  nodeName: 'demo-general-x2k4q',
  server: 'https://127.0.0.1:6443',
  certificateAuthority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  bootstrapToken: 'abcdef.0123456789abcdef',
  version: '1.35.8',
  components: { containerd: '2.2.7', pause: '3.10.1' },
  serviceCIDR: '10.3.0.0/16',
  podCIDR: '10.2.0.0/16',
  maxPods: 64,
  size: { vcpus: 4, memoryMiB: 16_384, diskGiB: 100 },
  labels: { 'topology.kubernetes.io/zone': 'az1', team: 'shop' },
  taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }],
  kubeProxyMode: 'iptables',
};

describe('user data from the control plane', () => {
  it.each([
    ['base64, as Nova expects it', nodeUserData(CONFIG)],
    ['plain text', nodeCloudConfig(CONFIG)],
    ['gzip in base64', gzipSync(nodeCloudConfig(CONFIG)).toString('base64')],
    ['gzip', gzipSync(nodeCloudConfig(CONFIG))],
  ])('is parsed as %s', (_, userData) => {
    expect(isNodeUserData(userData)).toBe(true);
    expect(parseUserData(userData)).toMatchObject({
      nodeName: 'demo-general-x2k4q',
      server: 'https://127.0.0.1:6443',
      certificateAuthority: CONFIG.certificateAuthority,
      token: 'abcdef.0123456789abcdef',
      kubernetesVersion: '1.35.8',
      containerdVersion: '2.2',
      flags: {
        nodeLabels: { 'topology.kubernetes.io/zone': 'az1', team: 'shop' },
        hasExternalCloudProvider: true,
      },
      kubelet: { maxPods: 64, kubeReserved: { cpu: '170m' }, serverTLSBootstrap: true, rotateCertificates: true },
      taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }],
    });
  });
});

it('ignores servers that are not nodes', () => {
  expect(isNodeUserData('#cloud-config\npackages: [nginx]\n')).toBe(false);
  expect(isNodeUserData('')).toBe(false);
});

describe('cloud-config', () => {
  const packed = gzipSync('packed').toString('base64');

  it.each([
    ['b64', Buffer.from('text').toString('base64'), 'text'],
    ['gz+b64', packed, 'packed'],
    ['text/plain', 'text', 'text'],
  ])('writes files encoded as %s', (encoding, content, expected) => {
    const config = parseCloudConfig(
      `#cloud-config\nwrite_files: [{path: /a, encoding: ${encoding}, content: "${content}"}]`,
    );
    expect(config.files.get('/a')).toBe(expected);
  });

  it('appends to a file if requested; otherwise the last entry wins', () => {
    const { files } = parseCloudConfig(
      '#cloud-config\nwrite_files:\n- {path: /a, content: x}\n- {path: /a, content: y, append: true}\n- {path: /b, content: 1}\n- {path: /b, content: 2}',
    );
    expect(Object.fromEntries(files)).toEqual({ '/a': 'xy', '/b': '2' });
  });

  it.each([
    ['an unknown encoding', '[{path: /a, encoding: rot13, content: x}]', 'unknown encoding "rot13"'],
    ['broken gzip', '[{path: /a, encoding: gz+b64, content: AAAA}]', '/a cannot be unpacked'],
    ['a file without a path', '[{content: x}]', 'write_files[0].path'],
  ])('refuses %s', (_, files, message) => {
    const parse = () => parseCloudConfig(`#cloud-config\nwrite_files: ${files}`);
    expect(parse).toThrow(UserDataError);
    expect(parse).toThrow(message);
  });
});

describe('a node that cannot boot', () => {
  it.each([
    ['no bootstrap token', userDataOf('a', { token: '' }), 'has no bootstrap token'],
    [
      'a taint without an effect',
      userDataOf('a', { flags: '--register-with-taints=a=b' }),
      'a=b is not of the form key=value:effect',
    ],
    ['an invalid kubelet configuration', userDataOf('a', { kubelet: { maxPods: -1 } }), '/var/lib/kubelet/config.yaml'],
  ])('reports why: %s', (_, userData, message) => {
    expect(() => parseUserData(userData)).toThrow(message);
  });
});

describe("kubelet's flags", () => {
  it.each([
    [
      'KUBELET_EXTRA_ARGS=--node-ip=10.0.0.5 --cloud-provider external',
      { nodeIp: '10.0.0.5', hasExternalCloudProvider: true },
    ],
    [
      'KUBELET_EXTRA_ARGS="--hostname-override=a --provider-id=openstack:///1"',
      { hostnameOverride: 'a', providerId: 'openstack:///1' },
    ],
    ['# nothing\nKUBELET_EXTRA_ARGS=\n', { nodeLabels: {}, registerWithTaints: [], hasExternalCloudProvider: false }],
    ['KUBELET_EXTRA_ARGS=--node-labels=a=b,c=,d --max-pods=20', { nodeLabels: { a: 'b', c: '', d: '' }, maxPods: 20 }],
    [
      'KUBELET_EXTRA_ARGS=--register-with-taints=k:NoExecute',
      { registerWithTaints: [{ key: 'k', value: '', effect: 'NoExecute' }] },
    ],
  ])('reads %s', (line, expected) => {
    expect(parseKubeletFlags(line)).toMatchObject(expected);
  });
});
