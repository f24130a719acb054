import type { ZodType } from 'zod';
import type { EndpointInterface } from '../auth/catalog.ts';
import type { Credential } from '../auth/credential.ts';
import { OPERATORS_SERVICES, SERVICES } from '../services.ts';
import { CREDENTIAL_TYPES, SIGN_IN_TYPES } from './auth-types.ts';
import type { CloudConfig } from './cloud-config.ts';
import { CloudEntry, type CompileContext } from './cloud-entry.ts';
import { CloudLoadBalancers } from './load-balancer-settings.ts';
import { NodeAddressSettings } from './node-address-settings.ts';
import { isMapping, type RawCloud } from './raw-cloud.ts';

/** Checks a merged cloud; throws a {@link CloudConfigError} that names the key. */
export function compileCloud(name: string, raw: RawCloud, context: CompileContext): CloudConfig {
  return new CloudCompiler(new CloudEntry(name, raw, context)).compile();
}

class CloudCompiler {
  readonly #entry: CloudEntry;

  constructor(entry: CloudEntry) {
    this.#entry = entry;
  }

  compile(): CloudConfig {
    return {
      name: this.#entry.name,
      authUrl: this.#entry.authUrl(),
      credential: this.#credential(),
      region: this.#region(),
      interface: this.#interface(),
      tls: this.#entry.tls(),
      endpointOverrides: this.#endpointOverrides(),
      computeMicroversion: this.#computeMicroversion(),
      ...this.#ownKeys(),
    };
  }

  #credential(): Credential {
    const authType = this.#entry.authType();
    switch (authType) {
      case 'password':
      case 'v3password':
        return {
          kind: 'password',
          user: this.#entry.user(),
          password: this.#entry.require('password', 'is missing'),
          scope: this.#entry.scope(),
        };
      case 'token':
      case 'v3token':
        return { kind: 'token', token: this.#entry.require('token', 'is missing'), scope: this.#entry.scope() };
      case 'v3applicationcredential':
        return this.#entry.applicationCredential();
      default:
        if (SIGN_IN_TYPES.includes(authType)) {
          const problem = `${authType} is for people ("fairway auth token" knows it); here an application credential fits (v3applicationcredential)`;
          throw this.#entry.error('auth_type', problem);
        }
        throw this.#entry.error('auth_type', `${authType} is not one of ${CREDENTIAL_TYPES.join(', ')}`);
    }
  }

  #region(): string | undefined {
    const region = this.#entry.text('region_name');
    if (region !== undefined) return region;
    const { regions } = this.#entry.raw;
    if (regions === undefined) return undefined;
    const first: unknown = Array.isArray(regions) ? regions[0] : undefined;
    if (typeof first === 'string') return first;
    if (isMapping(first) && typeof first.name === 'string') return first.name;
    throw this.#entry.error('regions', 'must be a list of names, or of mappings with a name');
  }

  #interface(): EndpointInterface {
    const text = this.#entry.text('interface') ?? this.#entry.text('endpoint_type') ?? 'public';
    const name = text.replace(/URL$/, '');
    if (name === 'public' || name === 'internal' || name === 'admin') return name;
    throw this.#entry.error('interface', `${text} is not one of public, internal, admin`);
  }

  #endpointOverrides(): CloudConfig['endpointOverrides'] {
    const overrides: Record<string, string> = {};
    for (const { type: service } of [...SERVICES, ...OPERATORS_SERVICES]) {
      const key = `${service}_endpoint_override`;
      const url = this.#entry.text(key) ?? this.#entry.text(`${service}_endpoint`);
      if (url === undefined) continue;
      if (!URL.canParse(url)) throw this.#entry.error(key, `${url} is not a URL`);
      overrides[service] = url;
    }
    return overrides;
  }

  #computeMicroversion(): string | undefined {
    for (const key of ['compute_default_microversion', 'compute_api_version']) {
      const version = this.#entry.text(key);
      // Plain `2` and `2.1` name the major version.
      if (version === undefined || /^2(\.[01])?$/.test(version)) continue;
      // YAML parses 2.90 as the number 2.9, which is another version.
      if (typeof this.#entry.raw[key] === 'number' || !/^2\.\d+$/.test(version)) {
        throw this.#entry.error(key, `${version} is not a microversion such as "2.90", in quotes`);
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
    const given = this.#entry.raw[key];
    if (given === undefined) return undefined;
    const { data, error } = schema.safeParse(given);
    if (error === undefined) return data;
    const [issue] = error.issues;
    throw this.#entry.error([key, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
  }
}
