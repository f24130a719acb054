import type { IdentityRef, Scope } from '../auth/credential.ts';
import type { FederationRef } from '../auth/federation.ts';
import type { OidcClient, SignIn, SignInConfig } from '../sign-in/sign-in.ts';
import { CREDENTIAL_TYPES, SIGN_IN_TYPES } from './auth-types.ts';
import type { CloudEntry } from './cloud-entry.ts';

/** Checks the sign-in part of a merged cloud; throws a `CloudConfigError` that names the key. */
export function compileSignIn(entry: CloudEntry): SignInConfig {
  return { cloud: entry.name, authUrl: entry.authUrl(), tls: entry.tls(), signIn: signInOf(entry) };
}

function signInOf(entry: CloudEntry): SignIn {
  const authType = entry.authType();
  switch (authType) {
    case 'password':
    case 'v3password':
      return passwordOf(entry, false);
    case 'v3multifactor':
      return multifactorOf(entry);
    case 'v3totp':
      return { kind: 'totp', ...userOf(entry), ...optional(entry, 'passcode', 'passcode') };
    case 'token':
    case 'v3token': {
      const token = entry.require('token', 'is missing');
      return { kind: 'credential', credential: { kind: 'token', token, scope: entry.scope() } };
    }
    case 'v3applicationcredential':
      return { kind: 'credential', credential: entry.applicationCredential() };
    case 'v3oidcaccesstoken': {
      const accessToken = entry.require('access_token', 'is missing');
      return { kind: 'federated', ...federationOf(entry), grant: { kind: 'accessToken', accessToken } };
    }
    case 'v3oidcclientcredentials': {
      entry.require('client_secret', 'is missing: the client signs in as itself');
      const client = clientOf(entry);
      return { kind: 'federated', ...federationOf(entry), grant: { kind: 'clientCredentials', client } };
    }
    case 'v3oidcpassword': {
      const username = entry.require('username', 'is missing: the user name at the identity provider');
      const grant = { kind: 'password', client: clientOf(entry), username } as const;
      const password = optional(entry, 'password', 'password');
      return { kind: 'federated', ...federationOf(entry), grant: { ...grant, ...password } };
    }
    case 'v3oidcauthcode':
      return { kind: 'federated', ...federationOf(entry), grant: authorizationCodeOf(entry) };
    case 'v3oidcdeviceauthz': {
      const client = clientOf(entry);
      requireEndpoint(entry, 'device_authorization_endpoint', client.deviceAuthorizationEndpoint, client);
      const method = entry.auth('code_challenge_method');
      if (method !== undefined && method !== 'S256') {
        throw entry.error('auth.code_challenge_method', `${method} is not S256`);
      }
      const grant = { kind: 'device', client, withChallenge: method !== undefined } as const;
      return { kind: 'federated', ...federationOf(entry), grant };
    }
    default:
      throw entry.error('auth_type', `${authType} is not one of ${[...CREDENTIAL_TYPES, ...SIGN_IN_TYPES].join(', ')}`);
  }
}

function passwordOf(entry: CloudEntry, withPasscode: boolean): SignIn {
  const secrets = { ...optional(entry, 'password', 'password'), ...optional(entry, 'passcode', 'passcode') };
  return { kind: 'password', ...userOf(entry), withPasscode, ...secrets };
}

/** The methods that keystoneauth combines, limited to those with a value. */
function multifactorOf(entry: CloudEntry): SignIn {
  const methods = entry.list('auth_methods').map((method) => method.replace(/^v3/, ''));
  const [first, ...more] = methods;
  if (first === undefined) throw entry.error('auth_methods', 'is missing: such as v3password,v3totp');
  const unknown = methods.find((method) => method !== 'password' && method !== 'totp');
  if (unknown !== undefined) throw entry.error('auth_methods', `${unknown} is neither v3password nor v3totp`);
  if (methods.includes('password')) return passwordOf(entry, methods.includes('totp'));
  if (more.length > 0) throw entry.error('auth_methods', `${first} is duplicated`);
  return { kind: 'totp', ...userOf(entry), ...optional(entry, 'passcode', 'passcode') };
}

function userOf(entry: CloudEntry): { readonly user: IdentityRef; readonly scope: Scope } {
  return { user: entry.user(), scope: entry.scope() };
}

function federationOf(entry: CloudEntry): FederationRef & { readonly scope: Scope } {
  return {
    identityProvider: entry.require('identity_provider', 'is missing: its name in Keystone'),
    protocol: entry.require('protocol', 'is missing: its name in Keystone, such as openid'),
    scope: entry.scope(),
  };
}

function authorizationCodeOf(entry: CloudEntry): Extract<SignIn, { kind: 'federated' }>['grant'] {
  const client = clientOf(entry);
  const code = entry.auth('code');
  const redirectUri = entry.auth('redirect_uri');
  if (redirectUri !== undefined && !URL.canParse(redirectUri)) {
    throw entry.error('auth.redirect_uri', `${redirectUri} is not a URL`);
  }
  if (code !== undefined) {
    const uri = entry.require('redirect_uri', 'is missing: a code is valid only with the URI that it was sent to');
    return { kind: 'authorizationCode', client, code, redirectUri: uri };
  }
  requireEndpoint(entry, 'authorization_endpoint', client.authorizationEndpoint, client);
  if (redirectUri !== undefined && !isLoopback(new URL(redirectUri))) {
    const problem = `${redirectUri} is not on this machine (http://127.0.0.1, http://localhost): remove it, or also provide the code`;
    throw entry.error('auth.redirect_uri', problem);
  }
  return { kind: 'authorizationCode', client, ...(redirectUri !== undefined && { redirectUri }) };
}

function clientOf(entry: CloudEntry): OidcClient {
  const tokenType = entry.auth('access_token_type') ?? 'access_token';
  if (tokenType !== 'access_token' && tokenType !== 'id_token') {
    throw entry.error('auth.access_token_type', `${tokenType} is neither access_token nor id_token`);
  }
  const client: OidcClient = {
    id: entry.require('client_id', 'is missing: the client ID at the identity provider'),
    ...optional(entry, 'client_secret', 'secret'),
    scope: entry.auth('openid_scope') ?? 'openid profile',
    ...optional(entry, 'discovery_endpoint', 'discoveryEndpoint'),
    ...optional(entry, 'access_token_endpoint', 'accessTokenEndpoint'),
    ...optional(entry, 'authorization_endpoint', 'authorizationEndpoint'),
    ...optional(entry, 'device_authorization_endpoint', 'deviceAuthorizationEndpoint'),
    tokenType,
  };
  requireEndpoint(entry, 'access_token_endpoint', client.accessTokenEndpoint, client);
  for (const key of [
    'discovery_endpoint',
    'access_token_endpoint',
    'authorization_endpoint',
    'device_authorization_endpoint',
  ]) {
    const url = entry.auth(key);
    if (url !== undefined) requireSafeUrl(entry, `auth.${key}`, url);
  }
  return client;
}

function requireEndpoint(entry: CloudEntry, key: string, endpoint: string | undefined, client: OidcClient): void {
  if (endpoint !== undefined || client.discoveryEndpoint !== undefined) return;
  throw entry.error('auth.discovery_endpoint', `is missing, and so is auth.${key}`);
}

/** Secrets are sent to this URL, so it must not be reached over a network in clear text. */
function requireSafeUrl(entry: CloudEntry, key: string, text: string): void {
  if (!URL.canParse(text)) throw entry.error(key, `${text} is not a URL`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isLoopback(url)) throw entry.error(key, `${text} must be an https:// URL`);
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

function optional<Name extends string>(entry: CloudEntry, key: string, name: Name): { readonly [K in Name]?: string } {
  const value = entry.auth(key);
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: string };
}
