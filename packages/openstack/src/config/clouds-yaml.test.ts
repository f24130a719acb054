import { describe, expect, it } from 'vitest';
import { CLOUDS_YAML_CASES, type CloudsYamlCase, type Reading, ROOT } from '../testing/clouds-yaml-cases.ts';
import { readingOf } from '../testing/clouds-yaml-reading.ts';
import { CloudsYaml } from './clouds-yaml.ts';

type Files = Readonly<Record<string, string>>;
type Env = Readonly<Record<string, string>>;

const HOME = '/home/op';
const CONFIG = `${HOME}/.config/openstack`;

const DEMO = `
clouds:
  demo:
    auth:
      auth_url: https://cloud/identity
      username: demo
      password: secret
      user_domain_name: Default
      project_name: web
      project_domain_id: default
    region_name: RegionOne
`;

function read(files: Files, env: Env = {}): CloudsYaml {
  return new CloudsYaml({ env, cwd: '/work', home: HOME, readFile: (path) => files[path] });
}

/** A file whose only cloud, `c`, has these keys in addition to a complete `auth`. */
function cloud(keys: object, auth: object = {}): Files {
  const complete = {
    auth_url: 'https://cloud/v3',
    username: 'demo',
    password: 'secret',
    user_domain_id: 'default',
    project_id: 'p1',
  };
  // JSON is YAML.
  return { '/work/clouds.yaml': JSON.stringify({ clouds: { c: { auth: { ...complete, ...auth }, ...keys } } }) };
}

describe('CloudsYaml', () => {
  it('reads a cloud', () => {
    expect(read({ '/work/clouds.yaml': DEMO }).get('demo')).toEqual({
      name: 'demo',
      authUrl: 'https://cloud/identity',
      credential: {
        kind: 'password',
        user: { name: 'demo', domain: { name: 'Default' } },
        password: 'secret',
        scope: { kind: 'project', project: { name: 'web', domain: { id: 'default' } } },
      },
      region: 'RegionOne',
      interface: 'public',
      tls: { verify: true },
      endpointOverrides: {},
      endpoints: {},
      computeMicroversion: undefined,
    });
  });

  it.each<{ reason: string; files: readonly string[]; env?: Env; found: string }>([
    {
      reason: 'the variable comes first',
      files: ['/x.yaml', '/work/clouds.yaml'],
      env: { OS_CLIENT_CONFIG_FILE: '/x.yaml' },
      found: '/x.yaml',
    },
    {
      reason: 'the current folder comes next',
      files: ['/work/clouds.yaml', `${CONFIG}/clouds.yaml`],
      found: '/work/clouds.yaml',
    },
    {
      reason: 'the home folder comes third',
      files: [`${CONFIG}/clouds.yaml`, '/etc/openstack/clouds.yaml'],
      found: `${CONFIG}/clouds.yaml`,
    },
    { reason: 'the system comes last', files: ['/etc/openstack/clouds.yaml'], found: '/etc/openstack/clouds.yaml' },
    {
      reason: 'yaml is preferred to yml',
      files: ['/work/clouds.yml', '/work/clouds.yaml'],
      found: '/work/clouds.yaml',
    },
    { reason: 'json is supported', files: ['/work/clouds.json'], found: '/work/clouds.json' },
  ])('reads only one file: $reason', ({ files, env, found }) => {
    const contents = files.map((path) => [path, `{"clouds": {"${path}": {}}}`]);

    expect(read(Object.fromEntries(contents) as Files, env).names).toEqual([found]);
  });

  it('adds secrets from secure.yaml, wherever it is found', () => {
    const clouds = read({
      '/work/clouds.yaml': DEMO.replace('      password: secret\n', ''),
      '/etc/openstack/secure.yaml': 'clouds: {demo: {auth: {password: hidden}}}',
    });

    expect(clouds.get('demo').credential).toMatchObject({ password: 'hidden', user: { name: 'demo' } });
  });

  it('merges a cloud over its profile', () => {
    const clouds = read({
      '/work/clouds.yaml': `
clouds:
  mine:
    profile: vendor
    auth: {username: me, password: p, project_id: p1}
    interface: internal`,
      '/etc/openstack/clouds-public.yaml': `
public-clouds:
  vendor:
    auth: {auth_url: https://vendor/v3, user_domain_id: vendors, username: nobody}
    interface: public
    regions: [north, south]`,
    });

    expect(clouds.get('mine')).toMatchObject({
      authUrl: 'https://vendor/v3',
      credential: { user: { name: 'me', domain: { id: 'vendors' } } },
      interface: 'internal',
      region: 'north',
    });
  });

  it('defines a cloud from the environment and makes it the default', () => {
    const env = {
      OS_AUTH_URL: 'https://env/v3',
      OS_USERNAME: 'me',
      OS_PASSWORD: 'p',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PROJECT_ID: 'p9',
      OS_REGION_NAME: 'R9',
      OS_CACERT: '/ca.pem',
      OS_IDENTITY_API_VERSION: '3',
    };
    const clouds = read({ '/work/clouds.yaml': DEMO }, env);

    expect(clouds.names).toEqual(['demo', 'envvars']);
    expect(clouds.get()).toMatchObject({
      name: 'envvars',
      authUrl: 'https://env/v3',
      credential: { scope: { kind: 'project', project: { id: 'p9' } } },
      region: 'R9',
      tls: { verify: true, cacert: '/ca.pem' },
    });
  });

  it.each<{ reason: string; env: Env; name: string }>([
    { reason: 'the only cloud', env: {}, name: 'demo' },
    { reason: 'the cloud of OS_CLOUD', env: { OS_CLOUD: 'demo' }, name: 'demo' },
  ])('chooses $reason; selectors alone do not define a cloud', ({ env, name }) => {
    expect(read({ '/work/clouds.yaml': DEMO }, env).get().name).toBe(name);
  });

  it.each<{ key: string; keys?: object; auth?: object; expected: object }>([
    { key: 'trust', auth: { trust_id: 't1' }, expected: { credential: { scope: { kind: 'trust', trustId: 't1' } } } },
    { key: 'system', auth: { system_scope: 'all' }, expected: { credential: { scope: { kind: 'system' } } } },
    { key: 'user id', auth: { user_id: 'u1' }, expected: { credential: { user: { id: 'u1' } } } },
    {
      key: 'token',
      keys: { auth_type: 'v3token' },
      auth: { token: 't' },
      expected: { credential: { kind: 'token', token: 't' } },
    },
    {
      key: 'application credential by id',
      keys: { auth_type: 'v3applicationcredential' },
      auth: { application_credential_id: 'a', application_credential_secret: 's' },
      expected: { credential: { kind: 'applicationCredential', id: 'a', secret: 's' } },
    },
    {
      key: 'application credential by name',
      keys: { auth_type: 'v3applicationcredential' },
      auth: { application_credential_name: 'a', application_credential_secret: 's' },
      expected: { credential: { name: 'a', user: { name: 'demo', domain: { id: 'default' } }, secret: 's' } },
    },
    { key: 'numbers as strings', auth: { password: 1234 }, expected: { credential: { password: '1234' } } },
    {
      key: 'project by its old name',
      auth: { project_id: null, tenant_name: 'web', domain_name: 'D' },
      expected: { credential: { scope: { project: { name: 'web', domain: { name: 'D' } } } } },
    },
    { key: 'dashes', keys: { 'region-name': 'R' }, expected: { region: 'R' } },
    { key: 'regions with values', keys: { regions: [{ name: 'R1', values: {} }] }, expected: { region: 'R1' } },
    { key: 'verify', keys: { verify: false }, expected: { tls: { verify: false } } },
    { key: 'insecure', keys: { insecure: true }, expected: { tls: { verify: false } } },
    {
      key: 'certificates',
      keys: { cacert: '~/ca.pem', cert: '/c.pem', key: '/k.pem' },
      expected: { tls: { verify: true, cacert: `${HOME}/ca.pem`, cert: '/c.pem', key: '/k.pem' } },
    },
    { key: 'old interface', keys: { endpoint_type: 'internalURL' }, expected: { interface: 'internal' } },
    {
      key: 'override',
      keys: { network_endpoint_override: 'https://n/v2.0' },
      expected: { endpointOverrides: { network: 'https://n/v2.0' } },
    },
    { key: 'microversion', keys: { compute_api_version: '2.53' }, expected: { computeMicroversion: '2.53' } },
    {
      key: 'newest microversion',
      keys: { compute_api_version: '2.latest' },
      expected: { computeMicroversion: undefined },
    },
    { key: 'major version', keys: { compute_api_version: 2.1 }, expected: { computeMicroversion: undefined } },
  ])('reads $key', ({ keys = {}, auth = {}, expected }) => {
    expect(read(cloud(keys, auth)).get('c')).toMatchObject(expected);
  });

  it('keeps an unquoted microversion as written', () => {
    const files = { '/work/clouds.yaml': `${DEMO}    compute_default_microversion: 2.90\n` };

    expect(read(files).get('demo').computeMicroversion).toBe('2.90');
  });

  /** The files of the test cases, in a root of their own. */
  function readCase({ files, env = {} }: CloudsYamlCase): Reading {
    const rooted = Object.fromEntries(Object.entries(files).map(([path, content]) => [`/${path}`, content]));
    const variables = Object.entries(env).map(([key, value]) => [key, value.replaceAll(ROOT, '')]);
    const options = { env: Object.fromEntries(variables), cwd: '/work', home: '/home' };
    return readingOf(new CloudsYaml({ ...options, readFile: (path) => rooted[path] }).get());
  }

  it.each(CLOUDS_YAML_CASES.filter(({ expected }) => expected !== undefined))('reads $name', (testCase) => {
    expect(readCase(testCase)).toMatchObject(JSON.parse(JSON.stringify(testCase.expected).replaceAll(ROOT, '')));
  });

  it.each(CLOUDS_YAML_CASES.filter(({ expected }) => expected === undefined))('refuses $name', (testCase) => {
    expect(() => readCase(testCase)).toThrow(testCase.expectedError);
  });

  it('reports which file cannot be read', () => {
    const readFile = () => {
      throw new Error('EACCES: permission denied');
    };

    expect(() => new CloudsYaml({ env: {}, cwd: '/work', home: HOME, readFile })).toThrow(
      '/work/clouds.yaml: cannot be read: EACCES: permission denied',
    );
  });

  it.each<{ reason: string; files: Files; env?: Env; name?: string; message: string }>([
    {
      reason: 'no password',
      files: { '/work/clouds.yaml': DEMO.replace('      password: secret\n', '') },
      message: '/work/clouds.yaml: cloud demo: auth.password: is missing',
    },
    {
      reason: 'no domain',
      files: { '/work/clouds.yaml': DEMO.replace('      project_domain_id: default\n', '') },
      message: 'cloud demo: auth.project_domain_name: is missing',
    },
    {
      reason: 'unknown cloud',
      files: { '/work/clouds.yaml': DEMO },
      name: 'other',
      message: '/work/clouds.yaml: cloud other: no such cloud, only: demo',
    },
    {
      reason: 'no cloud selected',
      files: { '/work/clouds.yaml': 'clouds: {a: {}, b: {}}' },
      message: 'no cloud selected; specify one, or set OS_CLOUD: a, b',
    },
    {
      reason: 'not YAML',
      files: { '/work/clouds.yaml': 'clouds: [' },
      message: '/work/clouds.yaml: is not valid YAML: ',
    },
    {
      reason: 'a list instead of a mapping',
      files: { '/work/clouds.yaml': '- a' },
      message: '/work/clouds.yaml: must be a mapping',
    },
    {
      reason: 'a missing file named by the environment',
      files: {},
      env: { OS_CLIENT_CONFIG_FILE: '/x.yaml' },
      message: '/x.yaml: no such file, but the environment refers to it: correct or unset OS_CLIENT_CONFIG_FILE',
    },
    {
      reason: 'unknown profile',
      files: { '/work/clouds.yaml': 'clouds: {a: {profile: vexxhost}}' },
      message: '/work/clouds.yaml: cloud a: profile: clouds-public.yaml has no profile vexxhost',
    },
    {
      reason: 'an unknown kind of authentication',
      files: cloud({ auth_type: 'v3kerberos' }),
      message: 'cloud c: auth_type: v3kerberos is not one of password, ',
    },
    {
      reason: 'unknown interface',
      files: cloud({ interface: 'outer' }),
      message: 'cloud c: interface: outer is not one of',
    },
    {
      reason: 'invalid flag',
      files: cloud({ verify: 'maybe' }),
      message: 'cloud c: verify: maybe is neither true nor false',
    },
    { reason: 'key without a certificate', files: cloud({ key: '/k.pem' }), message: 'cloud c: cert: is missing' },
    {
      reason: 'invalid microversion',
      files: cloud({ compute_default_microversion: 'newest' }),
      message: 'cloud c: compute_default_microversion: newest is not a microversion such as 2.90, or 2.latest',
    },
    {
      reason: 'an invalid interface of a service',
      files: cloud({ network_interface: 'outer' }),
      message: 'cloud c: network_interface: outer is not one of',
    },
    {
      reason: 'two clouds with the same name',
      files: { '/work/clouds.yaml': 'clouds: {envvars: {}}' },
      env: { OS_AUTH_URL: 'https://x' },
      message: 'cloud envvars: the environment also describes a cloud with this name',
    },
    {
      reason: 'an environment without user',
      files: {},
      env: { OS_AUTH_URL: 'https://x', OS_PASSWORD: 'p' },
      message: 'the environment: cloud envvars: auth.username: is missing',
    },
  ])('names the file, cloud and key: $reason', ({ files, env, name, message }) => {
    expect(() => read(files, env).get(name)).toThrow(message);
  });

  it('reads which server addresses become node addresses', () => {
    const written = { public_networks: ['Ext-Net'], sort_order: ['10.0.0.0/8', '2001:db8::/32'], ipv6: false };

    expect(read(cloud({ node_addresses: written })).get('c').nodeAddresses).toEqual({
      publicNetworks: ['Ext-Net'],
      internalNetworks: [],
      sortOrder: ['10.0.0.0/8', '2001:db8::/32'],
      ipv6: false,
    });
  });

  it.each([true, false])('reads whether nodes have a config drive: %s', (config_drive) => {
    expect(read(cloud({ config_drive })).get('c').configDrive).toBe(config_drive);
  });

  it('refuses any other value for config_drive', () => {
    expect(() => read(cloud({ config_drive: 'sometimes' })).get('c')).toThrow(/config_drive/);
  });

  it('reads load balancer settings', () => {
    const id = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';
    const written = { provider: 'ovn', max_shared: 3, classes: { gold: { floating_network_id: id } } };
    const { loadBalancers } = read(cloud({ load_balancers: written })).get('c');

    expect(loadBalancers).toMatchObject({ provider: 'ovn', isInternal: false, maxShared: 3, sharesOthers: false });
    expect(loadBalancers?.monitor).toMatchObject({ delay: 5, timeout: 3, maxRetries: 1, maxRetriesDown: 3 });
    expect(loadBalancers?.classes.get('gold')).toMatchObject({ floatingNetworkID: id, subnetID: undefined });
  });

  it.each([
    { load_balancers: { lb_provider: 'ovn' }, says: /load_balancers.*lb_provider/ },
    { load_balancers: { flavor_id: 'big' }, says: /load_balancers\.flavor_id: "big" is not an ID/ },
    { load_balancers: { lb_method: 'RANDOM' }, says: /load_balancers\.lb_method: .*ROUND_ROBIN/ },
    { load_balancers: { max_shared: 0 }, says: /load_balancers\.max_shared: / },
    { load_balancers: { monitor: { delay: 2 } }, says: /load_balancers\.monitor\.timeout: must not exceed the delay/ },
    { load_balancers: { classes: { gold: { subnet: 'x' } } }, says: /load_balancers\.classes\.gold: .*subnet/ },
  ])('refuses $load_balancers', ({ load_balancers, says }) => {
    expect(() => read(cloud({ load_balancers })).get('c')).toThrow(says);
  });

  it.each([
    { node_addresses: { public_network: ['x'] }, says: /node_addresses.*public_network/ },
    { node_addresses: { public_networks: 'x' }, says: /node_addresses\.public_networks: .*array/ },
    {
      node_addresses: { sort_order: ['10.0.0.0/244'] },
      says: /node_addresses\.sort_order\.0: 10\.0\.0\.0\/244 is not/,
    },
    { node_addresses: { sort_order: ['10.0.0.1'] }, says: /10\.0\.0\.1 is not a range such as/ },
    { node_addresses: ['x'], says: /node_addresses: / },
  ])('refuses $node_addresses', ({ node_addresses, says }) => {
    expect(() => read(cloud({ node_addresses })).get('c')).toThrow(says);
  });
});
