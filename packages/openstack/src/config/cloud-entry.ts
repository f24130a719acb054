import type { Credential, IdentityRef, Scope } from '../auth/credential.ts';
import { type CloudConfig, CloudConfigError } from './cloud-config.ts';
import { isMapping, type RawCloud } from './raw-cloud.ts';
import { valuesOf, WrittenScalar } from './written-yaml.ts';

/** Deprecated keys in `auth` and their current names. */
const AUTH_ALIASES = {
  tenant_name: 'project_name',
  tenant_id: 'project_id',
  auth_token: 'token',
  user_name: 'username',
  authorization_code: 'code',
} as const satisfies Record<string, string>;

/** A current name takes precedence over a deprecated one. */
const AUTH_KEYS: readonly string[] = [
  ...Object.keys(AUTH_ALIASES),
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
  'passcode',
  'identity_provider',
  'protocol',
  'client_id',
  'client_secret',
  'openid_scope',
  'access_token_type',
  'access_token_endpoint',
  'authorization_endpoint',
  'device_authorization_endpoint',
  'discovery_endpoint',
  'redirect_uri',
  'code',
  'code_challenge_method',
  'access_token',
  'default_domain',
  'default_domain_id',
  'default_domain_name',
];

export interface CompileContext {
  /** The file, for error messages. */
  readonly source: string;
  readonly home: string;
}

/**
 * A merged cloud from clouds.yaml, read key by key. All methods throw a {@link CloudConfigError} that names the key.
 */
export class CloudEntry {
  readonly name: string;
  readonly raw: RawCloud;
  readonly #context: CompileContext;
  readonly #auth: ReadonlyMap<string, string>;

  constructor(name: string, raw: RawCloud, context: CompileContext) {
    this.name = name;
    this.raw = raw;
    this.#context = context;
    this.#auth = this.#readAuth();
  }

  /** A key of `auth`. */
  auth(key: string): string | undefined {
    return this.#auth.get(key);
  }

  authType(): string {
    return this.text('auth_type') ?? this.text('auth_plugin') ?? 'password';
  }

  authUrl(): string {
    const authUrl = this.#expand('auth.auth_url', this.require('auth_url', 'is missing: the URL of Keystone'));
    if (!URL.canParse(authUrl)) throw this.error('auth.auth_url', `${authUrl} is not a URL`);
    return authUrl;
  }

  /** Keys of `auth`, and the same keys at the top level, where the environment puts them; `auth` takes precedence. */
  #readAuth(): ReadonlyMap<string, string> {
    const { auth = {} } = this.raw;
    if (!isMapping(auth)) throw this.error('auth', 'must be a mapping');
    const found = new Map<string, string>();
    for (const [from, prefix] of [
      [this.raw, ''],
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

  applicationCredential(): Extract<Credential, { kind: 'applicationCredential' }> {
    const secret = this.require('application_credential_secret', 'is missing');
    const id = this.#auth.get('application_credential_id');
    if (id !== undefined) return { kind: 'applicationCredential', id, secret };
    const problem = 'is missing: an application credential needs its ID, or its name and its user';
    const name = this.require('application_credential_name', problem);
    return { kind: 'applicationCredential', name, user: this.user(), secret };
  }

  user(): IdentityRef {
    const id = this.#auth.get('user_id');
    if (id !== undefined) return { id };
    const name = this.require('username', 'is missing, and so is auth.user_id');
    const domain = this.#domain('user');
    if (domain === undefined) {
      throw this.error(
        'auth.user_domain_name',
        'is missing, and so is auth.user_domain_id: a user name needs its domain',
      );
    }
    return { name, domain };
  }

  scope(): Scope {
    const trustId = this.#auth.get('trust_id');
    if (trustId !== undefined) return { kind: 'trust', trustId };
    const systemScope = this.#auth.get('system_scope');
    if (systemScope !== undefined) {
      if (systemScope !== 'all') throw this.error('auth.system_scope', `${systemScope} is not all`);
      return { kind: 'system' };
    }
    const projectId = this.#auth.get('project_id');
    if (projectId !== undefined) return { kind: 'project', project: { id: projectId } };
    const projectName = this.#auth.get('project_name');
    if (projectName !== undefined) {
      const domain = this.#domain('project');
      if (domain !== undefined) return { kind: 'project', project: { name: projectName, domain } };
      const problem = 'is missing, and so is auth.project_domain_id: a project name needs its domain';
      throw this.error('auth.project_domain_name', problem);
    }
    const domain = this.#idOrName('domain_id', 'domain_name');
    return domain === undefined ? { kind: 'default' } : { kind: 'domain', domain };
  }

  /** For a user or project; `domain_*` and `default_domain*` apply to both if a project is given. */
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

  tls(): CloudConfig['tls'] {
    const verify = this.flag('insecure') === true ? false : (this.flag('verify') ?? true);
    // Not read if verification is off, since it may be missing.
    const cacert = verify ? this.#path('cacert') : undefined;
    const cert = this.#path('cert');
    const key = this.#path('key');
    if (key !== undefined && cert === undefined) throw this.error('cert', 'is missing, but a key is set');
    return {
      verify,
      ...(cacert !== undefined && { cacert }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
  }

  /** Expands `{region_name}` and other keys of the cloud. */
  text(key: string): string | undefined {
    const text = this.#textOf(this.raw[key], key);
    return text === undefined ? undefined : this.#expand(key, text);
  }

  /** The value as written, including numbers and booleans; for keys that only Fairway reads. */
  setting(key: string): unknown {
    return valuesOf(this.raw[key]);
  }

  /**
   * Replaces `{key}` with the value of another key of the cloud, like Python's `str.format` in openstacksdk;
   * `{{` is a literal brace.
   */
  #expand(at: string, text: string): string {
    return text.replace(/\{\{|\}\}|\{[^{}]*\}|[{}]/g, (found) => {
      if (found === '{{' || found === '}}') return found.charAt(0);
      const key = found.slice(1, -1);
      const value = this.#textOf(this.raw[key], key);
      if (value !== undefined) return value;
      throw this.error(at, `${text}: ${found} is not a key of this cloud with a string value`);
    });
  }

  #textOf(value: unknown, key: string): string | undefined {
    if (value == null || value === '') return undefined;
    if (typeof value === 'string') return value;
    if (value instanceof WrittenScalar) return value.text;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.error(key, 'must be a string');
  }

  /** A list, or names separated by commas. */
  list(key: string): readonly string[] {
    const { auth } = this.raw;
    const value = (isMapping(auth) ? auth[key] : undefined) ?? this.raw[key];
    const items = Array.isArray(value)
      ? value.map((item) => this.#textOf(item, key) ?? '')
      : (this.#textOf(value, key) ?? '').split(',');
    return items.map((item) => item.trim()).filter((item) => item !== '');
  }

  flag(key: string): boolean | undefined {
    const text = this.text(key)?.toLowerCase();
    if (text === undefined) return undefined;
    if (text === 'true' || text === '1' || text === 'yes' || text === 'on') return true;
    if (text === 'false' || text === '0' || text === 'no' || text === 'off') return false;
    throw this.error(key, `${text} is neither true nor false`);
  }

  #path(key: string): string | undefined {
    return this.text(key)?.replace(/^~(?=\/|$)/, this.#context.home);
  }

  require(key: string, problem: string): string {
    const value = this.#auth.get(key);
    if (value === undefined) throw this.error(`auth.${key}`, problem);
    return value;
  }

  error(key: string, problem: string): CloudConfigError {
    return new CloudConfigError(this.#context.source, problem, { cloud: this.name, key });
  }
}
