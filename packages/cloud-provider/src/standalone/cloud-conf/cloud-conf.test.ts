import { CloudConfigError } from '@fairway/openstack/config/cloud-config';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { describe, expect, it } from 'vitest';
import { readCloudConf } from './cloud-conf.ts';

const CLOUDS = `clouds:
  one:
    auth: {auth_url: 'https://one.example/v3', username: u, password: p, project_name: t, user_domain_name: D, project_domain_name: D}
    region_name: R1
  two:
    auth: {auth_url: 'https://two.example/v3', application_credential_id: a, application_credential_secret: s}
    auth_type: v3applicationcredential
`;

const LOGIN = `[Global]
auth-url = https://keystone.example/v3
username = u
password = "p;#"
tenant-name = t
domain-name = D
`;

function read(text: string) {
  return readCloudConf(text, {
    source: 'cloud.conf',
    home: '/home/me',
    cloudsYaml: (file) =>
      new CloudsYaml({
        env: { OS_CLIENT_CONFIG_FILE: file ?? '/etc/openstack/clouds.yaml' },
        cwd: '/',
        home: '/home/me',
        readFile: (path) => (path.endsWith('/clouds.yaml') ? CLOUDS : undefined),
      }),
  });
}

const user = { name: 'u', domain: { name: 'D' } };
const project = { kind: 'project', project: { name: 't', domain: { name: 'D' } } };
const password = { kind: 'password', user, password: 'p', scope: project };

/** Based on upstream's tests of ToAuthOptions, ReadConfig and ReadClouds. */
describe('the credentials in a cloud.conf', () => {
  const url = 'auth-url = https://keystone.example/v3\n';

  it.each<{ reason: string; keys: string; credential: object }>([
    {
      reason: 'one domain for user and project',
      keys: 'username=u\npassword=p\ntenant-name=t\ndomain-name=D',
      credential: password,
    },
    {
      reason: 'separate domains',
      keys: 'username=u\npassword=p\ntenant-name=t\nuser-domain-id=ud\ntenant-domain-name=td',
      credential: {
        kind: 'password',
        user: { name: 'u', domain: { id: 'ud' } },
        password: 'p',
        scope: { kind: 'project', project: { name: 't', domain: { name: 'td' } } },
      },
    },
    {
      reason: 'ids need no domain',
      keys: 'user-id=ui\npassword=p\ntenant-id=ti\ndomain-id=d',
      credential: {
        kind: 'password',
        user: { id: 'ui' },
        password: 'p',
        scope: { kind: 'project', project: { id: 'ti' } },
      },
    },
    {
      reason: 'a trust, where the trustee authenticates and the trust determines the project',
      keys: 'trust-id=tr\ntrustee-id=te\ntrustee-password=tp\nusername=u\npassword=p\ntenant-id=ti\ndomain-name=D',
      credential: {
        kind: 'password',
        user: { id: 'te' },
        password: 'tp',
        scope: { kind: 'trust', trustId: 'tr' },
      },
    },
    {
      reason: 'a trust to the user in the file',
      keys: 'trust-id=tr\nuser-id=te\npassword=tp',
      credential: { kind: 'password', user: { id: 'te' }, password: 'tp', scope: { kind: 'trust', trustId: 'tr' } },
    },
    {
      reason: 'an application credential by id',
      keys: 'application-credential-id=a\napplication-credential-secret=s',
      credential: { kind: 'applicationCredential', id: 'a', secret: 's' },
    },
    {
      reason: 'an application credential by name, with its user',
      keys: 'application-credential-name=a\napplication-credential-secret=s\nusername=u\nuser-domain-name=D',
      credential: { kind: 'applicationCredential', name: 'a', user, secret: 's' },
    },
    {
      reason: 'a token',
      keys: 'token=tok\ntenant-name=t\ndomain-name=D',
      credential: { kind: 'token', token: 'tok', scope: project },
    },
  ])('are read from $reason', ({ keys, credential }) => {
    expect(read(`[Global]\n${url}${keys}\n`).cloud).toMatchObject({
      authUrl: 'https://keystone.example/v3',
      credential,
    });
  });

  it('include a region, an interface and TLS files', () => {
    const more = 'region=R\nos-endpoint-type=internal\nca-file=/ca\ncert-file=~/c\nkey-file=/k\ntls-insecure=true\n';

    expect(read(LOGIN + more).cloud).toMatchObject({
      region: 'R',
      interface: 'internal',
      tls: { verify: false, cert: '/home/me/c', key: '/k' },
    });
  });

  it.each<{ reason: string; keys: string; expected: object }>([
    {
      reason: 'the entry with that name',
      keys: 'cloud=one',
      expected: { name: 'one', region: 'R1', credential: password },
    },
    {
      reason: 'the file’s own values take precedence',
      keys: 'cloud=one\nregion=R2\nusername=other',
      expected: { region: 'R2', credential: { user: { name: 'other' } } },
    },
    {
      reason: 'an entry in another clouds.yaml',
      keys: 'clouds-file=/other/clouds.yaml\ncloud=two',
      expected: { authUrl: 'https://two.example/v3', credential: { kind: 'applicationCredential', id: 'a' } },
    },
  ])('are read from clouds.yaml: $reason', ({ keys, expected }) => {
    expect(read(`[Global]\nuse-clouds=true\n${keys}\n`).cloud).toMatchObject(expected);
  });

  it('may be in a named section', () => {
    expect(read(LOGIN.replace('[Global]', '[Global "north"]')).cloud.name).toBe('north');
  });

  it.each([
    { text: '[Global]\nusername=u', expectedMessage: 'cloud.conf: [global] auth-url: is missing: the URL of Keystone' },
    {
      text: `[Global]\n${url}username=u\npassword=p\ntenant-name=t`,
      expectedMessage: '[global] user-domain-name: is missing, and so is user-domain-id: a user name needs its domain',
    },
    { text: LOGIN.replace('password = "p;#"', ''), expectedMessage: '[global] password: is missing' },
    { text: `${LOGIN}os-endpoint-type = secret`, expectedMessage: '[global] os-endpoint-type: secret is not one of' },
    { text: '[Global]\nuse-clouds\ncloud=three', expectedMessage: 'cloud three: no such cloud, only: one, two' },
    { text: `${LOGIN}[Global "b"]\nregion=x`, expectedMessage: '[Global], [Global "b"]: only one cloud is supported' },
    { text: '[Global]\nauth-url="x', expectedMessage: 'cloud.conf: line 2: a quote is not closed' },
  ])('are refused: $expectedMessage', ({ text, expectedMessage }) => {
    expect(() => read(text)).toThrow(CloudConfigError);
    expect(() => read(text)).toThrow(expectedMessage);
  });
});

describe('other settings in a cloud.conf', () => {
  it('have the same meaning as in cloud-provider-openstack', () => {
    const conf = read(`${LOGIN}
[Networking]
ipv6-support-disabled = true
public-network-name = public-a
public-network-name = public-b
internal-network-name = nodes
address-sort-order = 10.0.0.0/8, 192.168.0.0/16
[LoadBalancer]
subnet-id = s
network-id = n
floating-network-id = f
floating-subnet-id = fsi
floating-subnet = public-*
floating-subnet-tags = !c
availability-zone = az1
node-selector = edge=true,gpu
provider-requires-serial-api-calls = true
enable-ingress-hostname = true
container-store = external
lb-provider = ovn
flavor-id = fl
lb-method = LEAST_CONNECTIONS
internal-lb = true
default-tls-container-ref = https://barbican.example.org/v1/secrets/x
create-monitor = true
max-shared-lb = 4
monitor-delay = 1m
monitor-timeout = 30s
monitor-max-retries = 4
monitor-max-retries-down = 2
[LoadBalancerClass "fast"]
floating-network-id = ff
floating-subnet-id = fs
[LoadBalancerClass "Slow"]
member-subnet-id = ms
floating-subnet = public-*
floating-subnet-tags = a,!b
[Route]
router-id = r
[Metadata]
request-timeout = 1m30s
`);

    expect(conf.cloud.nodeAddresses).toEqual({
      publicNetworks: ['public-a', 'public-b'],
      internalNetworks: ['nodes'],
      sortOrder: ['10.0.0.0/8', '192.168.0.0/16'],
      ipv6: false,
    });
    expect(conf.loadBalancerSettings).toEqual({
      isEnabled: true,
      subnetID: 's',
      networkID: 'n',
      memberSubnetID: 's',
      floatingNetworkID: 'f',
      loadBalancers: {
        provider: 'ovn',
        flavorID: 'fl',
        availabilityZone: 'az1',
        isSerial: true,
        floatingSubnetID: 'fsi',
        floatingSubnet: 'public-*',
        floatingSubnetTags: '!c',
        nodeSelector: 'edge=true,gpu',
        hostnameSuffix: 'nip.io',
        containerStore: 'external',
        algorithm: 'LEAST_CONNECTIONS',
        isInternal: true,
        tlsContainerRef: 'https://barbican.example.org/v1/secrets/x',
        monitor: { isEnabled: true, delay: 60, timeout: 30, maxRetries: 4, maxRetriesDown: 2 },
        maxShared: 4,
        sharesOthers: false,
        classes: new Map([
          ['fast', { floatingNetworkID: 'ff', floatingSubnetID: 'fs' }],
          ['Slow', { memberSubnetID: 'ms', floatingSubnet: 'public-*', floatingSubnetTags: 'a,!b' }],
        ]),
      },
    });
    expect(conf).toMatchObject({ routerID: 'r', requestTimeoutMs: 90_000, warnings: [] });
  });

  it('may be missing', () => {
    const { cloud, loadBalancerSettings, routerID, requestTimeoutMs } = read(LOGIN);

    expect(cloud.nodeAddresses).toBeUndefined();
    expect(loadBalancerSettings).toMatchObject({
      isEnabled: true,
      subnetID: undefined,
      loadBalancers: { monitor: { isEnabled: undefined, delay: 5, timeout: 3 }, maxShared: 2, isInternal: false },
    });
    expect([routerID, requestTimeoutMs]).toEqual([undefined, undefined]);
  });

  it.each<{ lines: string; suffix: string | undefined }>([
    { lines: 'enable-ingress-hostname = true\ningress-hostname-suffix = lb.example', suffix: 'lb.example' },
    { lines: 'enable-ingress-hostname', suffix: 'nip.io' },
    { lines: 'enable-ingress-hostname = false\ningress-hostname-suffix = lb.example', suffix: undefined },
    { lines: 'ingress-hostname-suffix = lb.example', suffix: undefined },
  ])('give host names the suffix $suffix: $lines', ({ lines, suffix }) => {
    expect(read(`${LOGIN}[LoadBalancer]\n${lines}`).loadBalancerSettings.loadBalancers?.hostnameSuffix).toBe(suffix);
  });

  it.each([
    {
      line: '[LoadBalancer]\nuse-octavia = true\nlb-version = v2\ncascade-delete = true',
      reason: 'values that are equal to the defaults',
    },
    {
      line: '[LoadBalancer]\nuse-octavia = True\nmanage-security-groups = No\ncascade-delete = ON',
      reason: 'booleans in any case',
    },
    { line: '[LoadBalancer]\nuse-octavia\ncascade-delete =', reason: 'keys without a value, which are true' },
    {
      line: '[BlockStorage]\nignore-volume-az = no\nignore-volume-microversion = off',
      reason: 'booleans spelled differently',
    },
    { line: '[LoadBalancer]\ncreate-monitor = false\nlb-method = ROUND_ROBIN', reason: 'its defaults' },
    { line: '[LoadBalancer]\nflavor-id =', reason: 'an empty value' },
  ])('accept $reason', ({ line }) => {
    expect(read(`${LOGIN}${line}`).warnings).toEqual([]);
  });

  it.each([
    {
      line: '[LoadBalancer]\nmanage-security-groups = true',
      expectedMessage:
        'line 8: [loadbalancer] manage-security-groups = true is refused: allow node ports in the security groups of the nodes',
    },
    {
      line: '[LoadBalancer]\nlb-method = FASTEST',
      expectedMessage: 'lb-method: "FASTEST" must be one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP',
    },
    {
      line: '[LoadBalancer]\nmax-shared-lb = 0',
      expectedMessage: 'max-shared-lb: "0" is not a whole number from 1 to 64',
    },
    {
      line: '[LoadBalancer]\nmonitor-delay = 5',
      expectedMessage: 'monitor-delay: "5" is not a duration such as 5s, 1m30s or 1h',
    },
    {
      line: '[LoadBalancer]\nmonitor-timeout = 9s',
      expectedMessage: 'monitor-timeout: 9 s is longer than monitor-delay, 5 s',
    },
    { line: '[LoadBalancer]\nmonitor-max-retries = 11', expectedMessage: '"11" is not a whole number from 1 to 10' },
    { line: '[LoadBalancer]\ncontainer-store = vault', expectedMessage: '"vault" must be one of barbican, external' },
    { line: '[LoadBalancer]\ninternal-lb = t', expectedMessage: 'internal-lb: "t" is neither true nor false' },
    {
      line: '[LoadBalancer]\nmanage-security-groups = maybe',
      expectedMessage: 'manage-security-groups = maybe is refused',
    },
    { line: '[LoadBalancer]\nuse-octavia = no', expectedMessage: 'use-octavia = no is refused' },
    { line: '[LoadBalancer]\nmonitor-delay = 1d', expectedMessage: 'monitor-delay: "1d" is not a duration' },
    {
      line: '[LoadBalancer]\ninternal = true',
      expectedMessage: '[loadbalancer] internal is unknown, and ignoring it could lift a restriction',
    },
    { line: '[LoadBalancer]\nallowed-cidrs = 10.0.0.0/8', expectedMessage: '[loadbalancer] allowed-cidrs is unknown' },
    { line: '[LoadBalancer]\nenabled = maybe', expectedMessage: 'enabled: "maybe" is neither true nor false' },
    {
      line: '[Networking]\naddress-sort-order = ten',
      expectedMessage: '[networking]: ten is not a range such as 10.0.0.0/8',
    },
    { line: '[LoadBalancerClass]\nsubnet-id = s', expectedMessage: '[loadbalancerclass] needs a name' },
    { line: '[Route "x"]\nrouter-id = s', expectedMessage: '[route] takes no name, but has "x"' },
    { line: '[BlockStorage]\nignore-volume-az = true', expectedMessage: 'ignore-volume-az = true is refused' },
  ])('are refused: $expectedMessage', ({ line, expectedMessage }) => {
    expect(() => read(`${LOGIN}${line}`)).toThrow(expectedMessage);
  });

  it.each([
    { lines: 'monitor-delay = 0.5m\nmonitor-timeout = 10s', delay: 30, timeout: 10 },
    { lines: 'monitor-delay = 1h\nmonitor-timeout = 1m0.5s', delay: 3_600, timeout: 61 },
    { lines: 'monitor-delay = 5000ms\nmonitor-timeout = 1500ms', delay: 5, timeout: 2 },
  ])('may contain durations in Go’s format: $lines', ({ lines, delay, timeout }) => {
    const { loadBalancers } = read(`${LOGIN}[LoadBalancer]\n${lines}`).loadBalancerSettings;

    expect(loadBalancers?.monitor).toMatchObject({ delay, timeout });
  });

  it.each([
    { value: 'True', is: true },
    { value: 'YES', is: true },
    { value: 'on', is: true },
    { value: '1', is: true },
    { value: '', is: true },
    { value: 'No', is: false },
    { value: 'OFF', is: false },
    { value: '0', is: false },
  ])('may contain internal-lb = $value, read as $is', ({ value, is }) => {
    expect(read(`${LOGIN}[LoadBalancer]\ninternal-lb = ${value}`).loadBalancerSettings.loadBalancers?.isInternal).toBe(
      is,
    );
  });

  it('have all their errors reported at once', () => {
    const invalidConfig = '[LoadBalancer]\nlb-method = NONE\nmanage-security-groups\nmonitor-delay = x';

    expect(() => read(`${LOGIN}${invalidConfig}`)).toThrow(/manage-security-groups.*; .*lb-method.*; .*monitor-delay/);
  });

  it.each([
    {
      line: '[Global]\nfavourite-colour = red',
      expectedMessage: 'line 8: [global] favourite-colour is unknown and has no effect',
    },
    { line: '[Colours]\nred = 1', expectedMessage: 'line 8: [colours] red is unknown and has no effect' },
    {
      line: '[Metadata]\nsearch-order = configDrive',
      expectedMessage: '[metadata] search-order has no effect: the metadata service is not used',
    },
    {
      line: '[BlockStorage]\nnode-volume-attach-limit = 20',
      expectedMessage: 'node-volume-attach-limit has no effect',
    },
    {
      line: '[LoadBalancer]\ncascade-delete = false',
      expectedMessage: 'cascade-delete has no effect: load balancers are always deleted with all their parts',
    },
    { line: '[KeyManager]\nkey-id = k', expectedMessage: 'it is for the KMS plugin' },
  ])('cause a warning: $expectedMessage', ({ line, expectedMessage }) => {
    expect(read(`${LOGIN}${line}`).warnings).toEqual([expect.stringContaining(expectedMessage)]);
  });
});
