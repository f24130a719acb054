import { type ZodType, z } from 'zod';
import type { EndpointInterface, ServiceEndpoint } from '../auth/catalog.ts';
import type { Credential } from '../auth/credential.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { OPERATOR_SERVICES, SERVICES } from '../services.ts';
import { CREDENTIAL_TYPES, SIGN_IN_TYPES } from './auth-types.ts';
import type { CloudConfig } from './cloud-config.ts';
import { CloudEntry, type CompileContext } from './cloud-entry.ts';
import { CloudLoadBalancers } from './load-balancer-settings.ts';
import { NodeAddressSettings } from './node-address-settings.ts';
import type { RawCloud } from './raw-cloud.ts';

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
      region: this.#entry.text('region_name'),
      interface: this.#interface('') ?? 'public',
      tls: this.#entry.tls(),
      ...this.#services(),
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
          const problem = `${authType} is for interactive sign-in (supported by "fairway auth token"); use an application credential here (v3applicationcredential)`;
          throw this.#entry.error('auth_type', problem);
        }
        throw this.#entry.error('auth_type', `${authType} is not one of ${CREDENTIAL_TYPES.join(', ')}`);
    }
  }

  /** The interface for one service, if `prefix` names one: `network_`. */
  #interface(prefix: string): EndpointInterface | undefined {
    const key = `${prefix}interface`;
    const text = this.#entry.text(key) ?? this.#entry.text(`${prefix}endpoint_type`);
    if (text === undefined) return undefined;
    const name = text.replace(/URL$/, '');
    if (name === 'public' || name === 'internal' || name === 'admin') return name;
    throw this.#entry.error(key, `${text} is not one of public, internal, admin`);
  }

  #services(): Pick<CloudConfig, 'endpointOverrides' | 'endpoints'> {
    const overrides: Record<string, string> = {};
    const endpoints: Record<string, ServiceEndpoint> = {};
    for (const service of [...SERVICES, ...OPERATOR_SERVICES] satisfies readonly ServiceDefinition[]) {
      const prefixes = prefixesOf(service);
      const url = this.#override(prefixes);
      if (url !== undefined) overrides[service.type] = url;
      const own = firstOf(prefixes, (prefix) => this.#interface(prefix));
      const region = firstOf(prefixes, (prefix) => this.#entry.text(`${prefix}region_name`));
      if (own === undefined && region === undefined) continue;
      endpoints[service.type] = { ...(own && { interface: own }), ...(region !== undefined && { region }) };
    }
    return { endpointOverrides: overrides, endpoints };
  }

  #override(prefixes: readonly string[]): string | undefined {
    for (const suffix of ['endpoint_override', 'endpoint']) {
      for (const prefix of prefixes) {
        const key = `${prefix}${suffix}`;
        const url = this.#entry.text(key);
        if (url === undefined) continue;
        if (!URL.canParse(url)) throw this.#entry.error(key, `${url} is not a URL`);
        return url;
      }
    }
    return undefined;
  }

  #computeMicroversion(): string | undefined {
    for (const key of ['compute_default_microversion', 'compute_api_version']) {
      const version = this.#entry.text(key);
      // Plain `2` and `2.1` name the major version; Fairway requests the newest supported one anyway.
      if (version === undefined || /^2(\.[01]|\.latest)?$/.test(version)) continue;
      if (!/^2\.\d{1,4}$/.test(version)) {
        throw this.#entry.error(key, `${version} is not a microversion such as 2.90, or 2.latest`);
      }
      return version;
    }
    return undefined;
  }

  /** Keys that other clients don't use. */
  #ownKeys(): Pick<CloudConfig, 'nodeAddresses' | 'loadBalancers' | 'configDrive'> {
    const nodeAddresses = this.#settings('node_addresses', NodeAddressSettings);
    const loadBalancers = this.#settings('load_balancers', CloudLoadBalancers);
    const configDrive = this.#settings('config_drive', z.boolean());
    return {
      ...(nodeAddresses && { nodeAddresses }),
      ...(loadBalancers && { loadBalancers }),
      ...(configDrive !== undefined && { configDrive }),
    };
  }

  #settings<T>(key: 'node_addresses' | 'load_balancers' | 'config_drive', schema: ZodType<T>): T | undefined {
    const setting = this.#entry.setting(key);
    if (setting === undefined) return undefined;
    const { data, error } = schema.safeParse(setting);
    if (error === undefined) return data;
    const [issue] = error.issues;
    throw this.#entry.error([key, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
  }
}

/** `block_storage_`, and the prefixes of the service's other names. */
function prefixesOf({ type, aliases = [] }: ServiceDefinition): readonly string[] {
  return [type, ...aliases].map((name) => `${name.replaceAll('-', '_')}_`);
}

function firstOf<T>(prefixes: readonly string[], read: (prefix: string) => T | undefined): T | undefined {
  for (const prefix of prefixes) {
    const value = read(prefix);
    if (value !== undefined) return value;
  }
  return undefined;
}
