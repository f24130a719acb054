import { describe, expect, it } from 'vitest';
import { CloudConfigError } from './cloud-config.ts';
import { CloudsYaml } from './clouds-yaml.ts';

const USER = { username: 'demo', user_domain_name: 'Default' };
const PROJECT = { project_name: 'web', project_domain_name: 'Default' };
const SCOPE = { kind: 'project', project: { name: 'web', domain: { name: 'Default' } } };
const OIDC = {
  identity_provider: 'sso',
  protocol: 'openid',
  client_id: 'kube',
  discovery_endpoint: 'https://idp.test/.well-known/openid-configuration',
};
const CLIENT = {
  id: 'kube',
  scope: 'openid profile',
  discoveryEndpoint: OIDC.discovery_endpoint,
  tokenType: 'access_token',
};
const FEDERATED = { kind: 'federated', identityProvider: 'sso', protocol: 'openid', scope: SCOPE };

function clouds(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): CloudsYaml {
  return new CloudsYaml({ env, cwd: '/work', home: '/home/op', readFile: (path) => files[path] });
}

function cloud(auth: object, keys: object = {}): CloudsYaml {
  const entry = { ...keys, auth: { auth_url: 'https://cloud/v3', ...PROJECT, ...auth } };
  return clouds({ '/work/clouds.yaml': JSON.stringify({ clouds: { c: entry } }) });
}

describe('how to sign in', () => {
  it.each<{ auth: object; keys?: object; signIn: object }>([
    {
      auth: USER,
      signIn: { kind: 'password', user: { name: 'demo', domain: { name: 'Default' } }, withPasscode: false },
    },
    { auth: { ...USER, password: 's' }, signIn: { kind: 'password', password: 's' } },
    {
      auth: { ...USER, password: 's', passcode: '123456' },
      keys: { auth_type: 'v3multifactor', auth_methods: 'v3password, v3totp' },
      signIn: { kind: 'password', withPasscode: true, passcode: '123456' },
    },
    { auth: USER, keys: { auth_type: 'v3multifactor', auth_methods: ['v3totp'] }, signIn: { kind: 'totp' } },
    { auth: USER, keys: { auth_type: 'v3totp' }, signIn: { kind: 'totp' } },
    {
      auth: { token: 't' },
      keys: { auth_type: 'v3token' },
      signIn: { kind: 'credential', credential: { kind: 'token', token: 't', scope: SCOPE } },
    },
    {
      auth: { application_credential_id: 'a', application_credential_secret: 's' },
      keys: { auth_type: 'v3applicationcredential' },
      signIn: { kind: 'credential', credential: { kind: 'applicationCredential', id: 'a', secret: 's' } },
    },
    {
      auth: OIDC,
      keys: { auth_type: 'v3oidcdeviceauthz' },
      signIn: { ...FEDERATED, grant: { kind: 'device', client: CLIENT, withChallenge: false } },
    },
    {
      auth: { ...OIDC, code_challenge_method: 'S256' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      signIn: { grant: { withChallenge: true } },
    },
    {
      auth: { ...OIDC, openid_scope: 'openid groups', access_token_type: 'id_token' },
      keys: { auth_type: 'v3oidcauthcode' },
      signIn: {
        grant: { kind: 'authorizationCode', client: { ...CLIENT, scope: 'openid groups', tokenType: 'id_token' } },
      },
    },
    {
      auth: { ...OIDC, redirect_uri: 'https://app.test/cb', authorization_code: 'x' },
      keys: { auth_type: 'v3oidcauthcode' },
      signIn: { grant: { kind: 'authorizationCode', redirectUri: 'https://app.test/cb', code: 'x' } },
    },
    {
      auth: { ...OIDC, username: 'jo', password: 's' },
      keys: { auth_type: 'v3oidcpassword' },
      signIn: { grant: { kind: 'password', client: CLIENT, username: 'jo', password: 's' } },
    },
    {
      auth: { ...OIDC, client_secret: 's' },
      keys: { auth_type: 'v3oidcclientcredentials' },
      signIn: { grant: { kind: 'clientCredentials', client: { ...CLIENT, secret: 's' } } },
    },
    {
      auth: { identity_provider: 'sso', protocol: 'openid', access_token: 't' },
      keys: { auth_type: 'v3oidcaccesstoken' },
      signIn: { ...FEDERATED, grant: { kind: 'accessToken', accessToken: 't' } },
    },
  ])('is read from $auth and $keys', ({ auth, keys, signIn }) => {
    expect(cloud(auth, keys).signIn('c')).toMatchObject({ cloud: 'c', authUrl: 'https://cloud/v3', signIn });
  });

  it.each<{ auth: object; keys?: object; problem: string }>([
    { auth: {}, problem: 'auth.username: is missing' },
    { auth: { ...USER }, keys: { auth_type: 'v3kerberos' }, problem: 'auth_type: v3kerberos is not one of password,' },
    { auth: USER, keys: { auth_type: 'v3multifactor' }, problem: 'auth_methods: is missing' },
    {
      auth: USER,
      keys: { auth_type: 'v3multifactor', auth_methods: 'v3password,v3kerberos' },
      problem: 'auth_methods: kerberos is neither',
    },
    {
      auth: { ...OIDC, protocol: '' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      problem: 'auth.protocol: is missing',
    },
    {
      auth: { ...OIDC, discovery_endpoint: '' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      problem: 'auth.discovery_endpoint: is missing, and so is auth.access_token_endpoint',
    },
    {
      auth: { ...OIDC, discovery_endpoint: 'http://idp.test/x' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      problem: 'auth.discovery_endpoint: http://idp.test/x must be an https:// URL',
    },
    {
      auth: { ...OIDC, redirect_uri: 'https://app.test/cb' },
      keys: { auth_type: 'v3oidcauthcode' },
      problem: 'auth.redirect_uri: https://app.test/cb is not on this machine',
    },
    { auth: { ...OIDC, code: 'x' }, keys: { auth_type: 'v3oidcauthcode' }, problem: 'auth.redirect_uri: is missing' },
    { auth: OIDC, keys: { auth_type: 'v3oidcclientcredentials' }, problem: 'auth.client_secret: is missing' },
    {
      auth: { ...OIDC, access_token_type: 'jwt' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      problem: 'auth.access_token_type: jwt is neither',
    },
    {
      auth: { ...OIDC, code_challenge_method: 'plain' },
      keys: { auth_type: 'v3oidcdeviceauthz' },
      problem: 'auth.code_challenge_method: plain is not S256',
    },
  ])('is refused: $problem', ({ auth, keys, problem }) => {
    expect(() => cloud(auth, keys).signIn('c')).toThrow(`/work/clouds.yaml: cloud c: ${problem}`);
  });

  it('is read from OS_ variables, under the names that keystoneauth uses', () => {
    const env = {
      OS_AUTH_URL: 'https://cloud/v3',
      OS_AUTH_TYPE: 'v3oidcdeviceauthz',
      OS_IDENTITY_PROVIDER: 'sso',
      OS_PROTOCOL: 'openid',
      OS_CLIENT_ID: 'kube',
      OS_DISCOVERY_ENDPOINT: OIDC.discovery_endpoint,
      OS_OPENID_SCOPE: 'openid',
      OS_PROJECT_ID: 'p',
    };

    expect(clouds({}, env).signIn()).toMatchObject({
      cloud: 'envvars',
      signIn: {
        identityProvider: 'sso',
        grant: { kind: 'device', client: { ...CLIENT, scope: 'openid' } },
        scope: { kind: 'project', project: { id: 'p' } },
      },
    });
    const multifactor = { OS_AUTH_TYPE: 'v3multifactor', OS_AUTH_METHODS: 'v3password,v3totp', OS_PASSCODE: '1' };
    const user = { OS_AUTH_URL: 'https://cloud/v3', OS_USERNAME: 'demo', OS_USER_DOMAIN_ID: 'default' };
    expect(clouds({}, { ...user, ...multifactor }).signIn().signIn).toMatchObject({
      kind: 'password',
      withPasscode: true,
      passcode: '1',
    });
  });
});

it.each(['v3multifactor', 'v3oidcdeviceauthz'])(
  'Fairway itself cannot sign in with %s, and suggests what works',
  (type) => {
    const read = () => cloud({ ...USER, password: 's' }, { auth_type: type }).get('c');

    expect(read).toThrow(CloudConfigError);
    expect(read).toThrow('use an application credential here (v3applicationcredential)');
  },
);
