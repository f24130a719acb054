import type { ZodType } from 'zod';
import type { EndpointInterface } from '../auth/catalog.ts';
import type { Credential, IdentityRef, Scope } from '../auth/credential.ts';
import { SERVICES } from '../services.ts';
import { type CloudConfig, CloudConfigError } from './cloud-config.ts';
import { CloudLoadBalancers } from './load-balancer-settings.ts';
import { NodeAddressSettings } from './node-address-settings.ts';
import { isMapping, type RawCloud } from './raw-cloud.ts';

/** Deprecated keys in `auth` and their current names. */
const AUTH_ALIASES = {
  tenant_name: 'project_name',
  tenant_id: 'project_id',
  auth_token: 'token',
  user_name: 'username',
} as const satisfies Record<string, string>;

const AUTH_KEYS: readonly string[] = [
  'auth_url',
  'username',
  'user_id',
  'password',
  'user_domain_id',
  'user_domain_name',
  'project_id',
  'project_name',
  'project_domain_id',
  'project_domain_name',
  'domain_id',
  'domain_name',
  'system_scope',
  'trust_id',
  'token',
  'application_credential_id',
  'application_credential_name',
  'application_credential_secret',
  'default_domain',
  'default_domain_id',
  'default_domain_name',
  ...Object.keys(AUTH_ALIASES),
];

export interface CompileContext {
  /** The file, for errors. */
  readonly source: string;
  readonly home: string;
}

/** Checks a merged cloud; throws a {@link CloudConfigError} that names the key. */
export function compileCloud(name: string, raw: RawCloud, context: CompileContext): CloudConfig {
  return new CloudCompiler(name, raw, context).compile();
}

class CloudCompiler {
  readonly #name: string;
  readonly #raw: RawCloud;
  readonly #context: CompileContext;
  readonly #auth: ReadonlyMap<string, string>;

  constructor(name: string, raw: RawCloud, context: CompileContext) {
    this.#name = name;
    this.#raw = raw;
    this.#context = context;
    this.#auth = this.#readAuth();
  }

  compile(): CloudConfig {
    const authUrl = this.#require('auth_url', 'is missing: the URL of Keystone');
    if (!URL.canParse(authUrl)) throw this.#error('auth.auth_url', `${authUrl} is not a URL`);
    return {
      name: this.#name,
      authUrl,
      credential: this.#credential(),
      region: this.#region(),
      interface: this.#interface(),
      tls: this.#tls(),
      endpointOverrides: this.#endpointOverrides(),
      computeMicroversion: this.#computeMicroversion(),
      ...this.#ownKeys(),
    };
  }

  /** Keys of `auth`, and the same keys beside it, as from the environment; `auth` takes precedence. */
  #readAuth(): ReadonlyMap<string, string> {
    const { auth = {} } = this.#raw;
    if (!isMapping(auth)) throw this.#error('auth', 'must be a mapping');
    const found = new Map<string, string>();
    for (const [from, prefix] of [
      [this.#raw, ''],
      [auth, 'auth.'],
    ] as const) {
      for (const key of AUTH_KEYS) {
        const text = this.#textOf(from[key], `${prefix}${key}`);
        if (text === undefined) continue;
        found.set(key in AUTH_ALIASES ? AUTH_ALIASES[key as keyof typeof AUTH_ALIASES] : key, text);
      }
    }
    return found;
  }

  #credential(): Credential {
    const authType = this.#text('auth_type') ?? this.#text('auth_plugin') ?? 'password';
    switch (authType) {
      case 'password':
      case 'v3password':
        return {
          kind: 'password',
          user: this.#user(),
          password: this.#require('password', 'is missing'),
          scope: this.#scope(),
        };
      case 'token':
      case 'v3token':
        return { kind: 'token', token: this.#require('token', 'is missing'), scope: this.#scope() };
      case 'v3applicationcredential':
        return this.#applicationCredential();
      default:
        throw this.#error(
          'auth_type',
          `${authType} is not one of password, v3password, token, v3token, v3applicationcredential`,
        );
    }
  }

  #applicationCredential(): Credential {
    const secret = this.#require('application_credential_secret', 'is missing');
    const id = this.#auth.get('application_credential_id');
    if (id !== undefined) return { kind: 'applicationCredential', id, secret };
    const problem = 'is missing: an application credential needs its id, or its name and its user';
    const name = this.#require('application_credential_name', problem);
    return { kind: 'applicationCredential', name, user: this.#user(), secret };
  }

  #user(): IdentityRef {
    const id = this.#auth.get('user_id');
    if (id !== undefined) return { id };
    const name = this.#require('username', 'is missing, and so is auth.user_id');
    const domain = this.#domain('user');
    if (domain === undefined) {
      throw this.#error(
        'auth.user_domain_name',
        'is missing, and so is auth.user_domain_id: a user name needs its domain',
      );
    }
    return { name, domain };
  }

  #scope(): Scope {
    const trustId = this.#auth.get('trust_id');
    if (trustId !== undefined) return { kind: 'trust', trustId };
    const systemScope = this.#auth.get('system_scope');
    if (systemScope !== undefined) {
      if (systemScope !== 'all') throw this.#error('auth.system_scope', `${systemScope} is not all`);
      return { kind: 'system' };
    }
    const projectId = this.#auth.get('project_id');
    if (projectId !== undefined) return { kind: 'project', project: { id: projectId } };
    const projectName = this.#auth.get('project_name');
    if (projectName !== undefined) {
      const domain = this.#domain('project');
      if (domain !== undefined) return { kind: 'project', project: { name: projectName, domain } };
      const problem = 'is missing, and so is auth.project_domain_id: a project name needs its domain';
      throw this.#error('auth.project_domain_name', problem);
    }
    const domain = this.#idOrName('domain_id', 'domain_name');
    return domain === undefined ? { kind: 'default' } : { kind: 'domain', domain };
  }

  /** Of a user or project; `domain_*` and `default_domain*` apply to both if a project is meant. */
  #domain(of: 'user' | 'project'): { readonly id: string } | { readonly name: string } | undefined {
    return (
      this.#idOrName(`${of}_domain_id`, `${of}_domain_name`) ??
      this.#idOrName('domain_id', 'domain_name') ??
      this.#idOrName('default_domain_id', 'default_domain_name') ??
      this.#idOrName('default_domain', 'default_domain')
    );
  }

  #idOrName(idKey: string, nameKey: string): { readonly id: string } | { readonly name: string } | undefined {
    const id = this.#auth.get(idKey);
    if (id !== undefined) return { id };
    const name = this.#auth.get(nameKey);
    return name === undefined ? undefined : { name };
  }

  #region(): string | undefined {
    const region = this.#text('region_name');
    if (region !== undefined) return region;
    const { regions } = this.#raw;
    if (regions === undefined) return undefined;
    const first: unknown = Array.isArray(regions) ? regions[0] : undefined;
    if (typeof first === 'string') return first;
    if (isMapping(first) && typeof first.name === 'string') return first.name;
    throw this.#error('regions', 'must be a list of names, or of mappings with a name');
  }

  #interface(): EndpointInterface {
    const text = this.#text('interface') ?? this.#text('endpoint_type') ?? 'public';
    const name = text.replace(/URL$/, '');
    if (name === 'public' || name === 'internal' || name === 'admin') return name;
    throw this.#error('interface', `${text} is not one of public, internal, admin`);
  }

  #tls(): CloudConfig['tls'] {
    const insecure = this.#flag('insecure') ?? false;
    const cacert = this.#path('cacert');
    const cert = this.#path('cert');
    const key = this.#path('key');
    if (key !== undefined && cert === undefined) throw this.#error('cert', 'is missing, although there is a key');
    return {
      verify: insecure ? false : (this.#flag('verify') ?? true),
      ...(cacert !== undefined && { cacert }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
  }

  #endpointOverrides(): CloudConfig['endpointOverrides'] {
    const overrides: Record<string, string> = {};
    for (const { type: service } of SERVICES) {
      const key = `${service}_endpoint_override`;
      const url = this.#text(key) ?? this.#text(`${service}_endpoint`);
      if (url === undefined) continue;
      if (!URL.canParse(url)) throw this.#error(key, `${url} is not a URL`);
      overrides[service] = url;
    }
    return overrides;
  }

  #computeMicroversion(): string | undefined {
    for (const key of ['compute_default_microversion', 'compute_api_version']) {
      const version = this.#text(key);
      // Plain `2` and `2.1` name the major version.
      if (version === undefined || /^2(\.[01])?$/.test(version)) continue;
      // YAML parses 2.90 as the number 2.9, which is another version.
      if (typeof this.#raw[key] === 'number' || !/^2\.\d+$/.test(version)) {
        throw this.#error(key, `${version} is not a microversion such as "2.90", in quotes`);
      }
      return version;
    }
    return undefined;
  }

  /** Those that other clients don't know. */
  #ownKeys(): Pick<CloudConfig, 'nodeAddresses' | 'loadBalancers'> {
    const nodeAddresses = this.#settings('node_addresses', NodeAddressSettings);
    const loadBalancers = this.#settings('load_balancers', CloudLoadBalancers);
    return { ...(nodeAddresses && { nodeAddresses }), ...(loadBalancers && { loadBalancers }) };
  }

  #settings<T>(key: 'node_addresses' | 'load_balancers', schema: ZodType<T>): T | undefined {
    const given = this.#raw[key];
    if (given === undefined) return undefined;
    const { data, error } = schema.safeParse(given);
    if (error === undefined) return data;
    const [issue] = error.issues;
    throw this.#error([key, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
  }

  #text(key: string): string | undefined {
    return this.#textOf(this.#raw[key], key);
  }

  #textOf(value: unknown, key: string): string | undefined {
    if (value == null || value === '') return undefined;
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.#error(key, 'must be a string');
  }

  #flag(key: string): boolean | undefined {
    const text = this.#text(key)?.toLowerCase();
    if (text === undefined) return undefined;
    if (text === 'true' || text === '1' || text === 'yes') return true;
    if (text === 'false' || text === '0' || text === 'no') return false;
    throw this.#error(key, `${text} is neither true nor false`);
  }

  #path(key: string): string | undefined {
    return this.#text(key)?.replace(/^~(?=\/|$)/, this.#context.home);
  }

  #require(key: string, problem: string): string {
    const value = this.#auth.get(key);
    if (value === undefined) throw this.#error(`auth.${key}`, problem);
    return value;
  }

  #error(key: string, problem: string): CloudConfigError {
    return new CloudConfigError(this.#context.source, problem, { cloud: this.#name, key });
  }
}
