/** How a client interprets a cloud, in openstacksdk's terms. */
export interface Reading {
  readonly authUrl: string;
  readonly username?: string;
  readonly password?: string;
  readonly projectName?: string;
  readonly projectId?: string;
  readonly region?: string;
  readonly interface?: string;
  /** False if certificates are not verified; a path if verified with that CA. */
  readonly verify?: boolean | string;
  /** By service type. */
  readonly overrides?: Readonly<Record<string, string>>;
  readonly interfaces?: Readonly<Record<string, string>>;
  readonly regions?: Readonly<Record<string, string>>;
}

/** A directory with files, an environment, and the expected result; {@link ROOT} stands for the directory. */
export interface CloudsYamlCase {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Undefined, with the reason, if no cloud can be read. */
  readonly expected: Partial<Reading> | undefined;
  readonly expectedError?: string;
  /** Why openstacksdk's result differs. */
  readonly differs?: string;
}

export const ROOT = '%ROOT%';

const AUTH = { auth_url: 'https://cloud/v3', username: 'demo', password: 'secret', project_name: 'web' };
const DOMAINS = 'user_domain_id: default, project_domain_id: default';
const AUTH_LINE = `auth_url: 'https://cloud/v3', username: demo, ${DOMAINS}`;

function filesWith(keys: object, auth: object = {}): Readonly<Record<string, string>> {
  const complete = { ...AUTH, user_domain_id: 'default', project_domain_id: 'default', ...auth };
  // JSON is YAML.
  return { 'work/clouds.yaml': JSON.stringify({ clouds: { c: { auth: complete, ...keys } } }, null, 1) };
}

const text = (yaml: string) => ({ 'work/clouds.yaml': yaml });
const at = (path: string, cloud = 'c') => ({
  [path]: `clouds: {${cloud}: {auth: {${AUTH_LINE}, password: p, project_id: "${path}"}}}`,
});

const OWN_REGIONS = {
  regions: [
    'north',
    { name: 'south', values: { auth: { auth_url: 'https://south/v3' }, interface: 'internal' } },
    { name: 'east', values: { 'network-endpoint-override': 'https://east:9696' } },
  ],
};

export const CLOUDS_YAML_CASES: readonly CloudsYamlCase[] = [
  {
    name: 'project and password of digits are kept as written',
    files: text(`clouds: {c: {auth: {${AUTH_LINE}, project_name: 0987654321098765, password: 00123489}}}`),
    expected: { projectName: '0987654321098765', password: '00123489' },
  },
  {
    name: 'digits that look like a power of ten',
    files: text(`clouds: {c: {auth: {${AUTH_LINE}, project_id: 12345678901e05, password: p}}}`),
    expected: { projectId: '12345678901e05' },
  },
  {
    name: 'a password that looks like an octal number',
    files: text(`clouds: {c: {auth: {${AUTH_LINE}, project_id: p, password: 00123467}}}`),
    expected: { password: '00123467' },
    differs: 'PyYAML reads 42807, which Keystone refuses',
  },
  {
    name: 'a password that looks like a date',
    files: text(`clouds: {c: {auth: {${AUTH_LINE}, project_id: p, password: 2024-01-01}}}`),
    expected: { password: '2024-01-01' },
  },
  {
    name: 'a cloud with a name of digits',
    files: text(`clouds: {2024: {auth: {${AUTH_LINE}, project_id: p, password: p}}}`),
    env: { OS_CLOUD: '2024' },
    expected: { projectId: 'p' },
    differs: 'PyYAML makes the name a number, which no variable can select',
  },
  {
    name: 'merge keys',
    files: text(`
x: &login {${AUTH_LINE}, password: p, project_id: p1}
y: &common {region_name: north, auth: *login}
clouds:
  c:
    <<: *common
    interface: internal
    auth:
      <<: *login
      project_id: p2
`),
    expected: { region: 'north', interface: 'internal', projectId: 'p2', username: 'demo' },
  },
  {
    name: 'merge keys by their tag',
    files: text(`
x: &login {${AUTH_LINE}, password: p, project_id: p1}
clouds: {c: {auth: {!!merge <<: *login}}}
`),
    expected: { projectId: 'p1' },
  },
  { name: 'the first region', files: filesWith(OWN_REGIONS), expected: { region: 'north', interface: 'public' } },
  {
    name: 'values of the chosen region',
    files: filesWith(OWN_REGIONS),
    env: { OS_REGION_NAME: 'south' },
    expected: { region: 'south', authUrl: 'https://south/v3', interface: 'internal', username: 'demo' },
  },
  {
    name: 'values with dashes',
    files: filesWith(OWN_REGIONS),
    env: { OS_REGION_NAME: 'east' },
    expected: { region: 'east', overrides: { network: 'https://east:9696' } },
  },
  {
    name: 'a region that the cloud does not have',
    files: filesWith(OWN_REGIONS),
    env: { OS_REGION_NAME: 'west' },
    expected: undefined,
    expectedError: "region_name: west is not one of the cloud's regions: north, south, east",
  },
  { name: 'several regions in one text', files: filesWith({ region_name: 'a,b' }), expected: { region: 'a' } },
  {
    name: 'a region with another key',
    files: filesWith({ regions: [{ name: 'a', zone: 'x' }] }),
    expected: undefined,
    expectedError: 'regions: must be a list of names, or of mappings with a name and values',
  },
  {
    name: 'the region in the URL of Keystone',
    files: filesWith({ region_name: 'north' }, { auth_url: 'https://{region_name}.cloud/v3' }),
    expected: { authUrl: 'https://north.cloud/v3' },
  },
  {
    name: 'the chosen region in the URL of Keystone and in an override',
    files: filesWith(
      { regions: ['north', 'south'], network_endpoint_override: 'https://net.{region_name}' },
      { auth_url: 'https://{region_name}.cloud/v3' },
    ),
    env: { OS_REGION_NAME: 'south' },
    expected: { authUrl: 'https://south.cloud/v3', overrides: { network: 'https://net.south' } },
  },
  {
    name: 'a password with braces',
    files: filesWith({}, { password: 'a{b}c{{' }),
    expected: { password: 'a{b}c{{' },
  },
  {
    name: 'an unknown key in braces',
    files: filesWith({}, { auth_url: 'https://{site}/v3' }),
    expected: undefined,
    expectedError: 'auth.auth_url: https://{site}/v3: {site} is not a key of this cloud with a string value',
  },
  {
    name: 'overrides of types with a dash, and by other names',
    files: filesWith({
      load_balancer_endpoint_override: 'https://lb',
      key_manager_endpoint_override: 'https://keys',
      volumev3_endpoint_override: 'https://volumes',
      share_endpoint_override: 'https://shares',
      compute_endpoint: 'https://compute',
    }),
    expected: {
      overrides: {
        'load-balancer': 'https://lb',
        'key-manager': 'https://keys',
        'block-storage': 'https://volumes',
        'shared-file-system': 'https://shares',
        compute: 'https://compute',
      },
    },
  },
  {
    name: 'the official type before other names, and dashes as underscores',
    files: filesWith({ 'volume-endpoint-override': 'https://old', 'block-storage-endpoint-override': 'https://new' }),
    expected: { overrides: { 'block-storage': 'https://new' } },
  },
  {
    name: 'an override from the environment',
    files: {},
    env: {
      OS_AUTH_URL: 'https://env/v3',
      OS_USERNAME: 'me',
      OS_PASSWORD: '00123489',
      OS_PROJECT_NAME: '0987654321098765',
      OS_USER_DOMAIN_ID: 'default',
      OS_PROJECT_DOMAIN_ID: 'default',
      OS_SHARED_FILE_SYSTEM_ENDPOINT_OVERRIDE: 'https://shares',
      OS_ENDPOINT_TYPE: 'internal',
    },
    expected: {
      authUrl: 'https://env/v3',
      username: 'me',
      password: '00123489',
      projectName: '0987654321098765',
      interface: 'internal',
      overrides: { 'shared-file-system': 'https://shares' },
    },
  },
  {
    name: 'interface and region of one service',
    files: filesWith({ region_name: 'north', network_interface: 'internal', volume_region_name: 'south' }),
    expected: {
      interface: 'public',
      interfaces: { network: 'internal', compute: 'public' },
      regions: { 'block-storage': 'south', compute: 'north' },
    },
  },
  {
    name: 'a microversion from the environment, with a cloud from the file',
    files: filesWith({}),
    env: { OS_CLOUD: 'c', OS_COMPUTE_API_VERSION: '2.latest' },
    expected: { projectName: 'web', username: 'demo' },
  },
  {
    name: 'no CA if verification is off',
    files: filesWith({ verify: false, cacert: '/missing.pem' }),
    expected: { verify: false },
  },
  {
    name: 'no CA where it is insecure',
    files: filesWith({ insecure: 'True', cacert: '/missing.pem' }),
    expected: { verify: false },
  },
  {
    name: 'a CA in the home folder',
    files: filesWith({ cacert: '~/ca.pem' }),
    expected: { verify: `${ROOT}/home/ca.pem` },
  },
  {
    name: 'flags in words',
    files: text(`clouds: {c: {auth: {${AUTH_LINE}, project_id: p, password: p}, verify: off}}`),
    expected: { verify: false },
  },
  {
    name: 'current names before deprecated ones',
    files: filesWith({}, { tenant_name: 'old' }),
    expected: { projectName: 'web' },
  },
  {
    name: 'XDG_CONFIG_HOME before the home folder',
    files: {
      ...at('xdg/openstack/clouds.yaml'),
      ...at('home/.config/openstack/clouds.yaml'),
    },
    env: { XDG_CONFIG_HOME: `${ROOT}/xdg` },
    expected: { projectId: 'xdg/openstack/clouds.yaml' },
  },
  {
    name: 'the home folder if XDG_CONFIG_HOME has no file',
    files: at('home/.config/openstack/clouds.yaml'),
    env: { XDG_CONFIG_HOME: `${ROOT}/xdg` },
    expected: { projectId: 'home/.config/openstack/clouds.yaml' },
  },
  {
    name: 'the folders of the site last',
    files: { ...at('site/openstack/clouds.yaml'), ...at('home/.config/openstack/clouds.yaml') },
    env: { XDG_CONFIG_DIRS: `${ROOT}/site` },
    expected: { projectId: 'home/.config/openstack/clouds.yaml' },
  },
  {
    name: 'a folder of the site',
    files: at('site/openstack/clouds.yaml'),
    env: { XDG_CONFIG_DIRS: `${ROOT}/site` },
    expected: { projectId: 'site/openstack/clouds.yaml' },
  },
  {
    name: 'the home folder of a client installed as a snap',
    files: at('real/.config/openstack/clouds.yaml'),
    env: { SNAP_REAL_HOME: `${ROOT}/real` },
    expected: { projectId: 'real/.config/openstack/clouds.yaml' },
  },
  {
    name: 'secrets from secure.yaml, as written',
    files: {
      ...text(`clouds: {c: {auth: {${AUTH_LINE}, project_id: p}}}`),
      'home/.config/openstack/secure.yaml': 'clouds: {c: {auth: {password: 0987}}}',
    },
    expected: { password: '0987', username: 'demo' },
  },
  {
    name: 'JSON with tabs',
    files: { 'work/clouds.json': JSON.stringify({ clouds: { c: { auth: { ...AUTH, domain_id: 'd' } } } }, null, '\t') },
    expected: { projectName: 'web' },
  },
];
