import { describe, expect, it } from 'vitest';
import { NodeSettingsError, parseNodeSettings } from './node-settings.ts';

describe('parseNodeSettings', () => {
  it('parses every setting', () => {
    const text = `
failCgroupV1: false
restrictOOMScoreAdj: true
registryMirrors:
  docker.io: [http://10.0.0.1:5000]
  registry.example.com:5000: [https://a.example.com, https://b.example.com/v2/proxy]
proxy: {httpsProxy: 'http://proxy:3128', noProxy: [10.0.0.0/8, .svc]}
packageSources: {kubernetes: 'http://10.0.0.1/kubernetes'}
`;
    expect(parseNodeSettings(text)).toEqual({
      failCgroupV1: false,
      restrictOOMScoreAdj: true,
      registryMirrors: {
        'docker.io': ['http://10.0.0.1:5000'],
        'registry.example.com:5000': ['https://a.example.com', 'https://b.example.com/v2/proxy'],
      },
      proxy: { httpsProxy: 'http://proxy:3128', noProxy: ['10.0.0.0/8', '.svc'] },
      packageSources: { kubernetes: 'http://10.0.0.1/kubernetes' },
    });
  });

  it('parses an empty file as no settings', () => {
    expect(parseNodeSettings('')).toEqual({});
  });

  it.each([
    ['failCgroupv1: false', /failCgroupv1/],
    ['failCgroupV1: maybe', /failCgroupV1/],
    ['registryMirrors: {docker.io: []}', /registryMirrors/],
    ['registryMirrors: {docker.io: [mirror.example.com]}', /must be a URL that starts with http.*[\s\S]*docker\.io/],
    ['registryMirrors: {../../x: [http://a]}', /must be a registry host as in image names/],
    ['packageSources: {containerd: "file:///srv"}', /packageSources\.containerd/],
    ['proxy: {noProxy: ["a b"]}', /a single host, domain or network[\s\S]*proxy\.noProxy\[0\]/],
    ['extraCertificateAuthorities: [none]', /a PEM certificate[\s\S]*extraCertificateAuthorities\[0\]/],
    ['a: [', /not valid YAML/],
  ])('refuses %j and names the field', (text, message) => {
    expect(() => parseNodeSettings(text)).toThrow(NodeSettingsError);
    expect(() => parseNodeSettings(text)).toThrow(message);
  });
});
