import { join } from 'node:path';
import type { SignInConfig } from '../sign-in/sign-in.ts';
import { type CloudConfig, CloudConfigError } from './cloud-config.ts';
import { CloudEntry, type CompileContext } from './cloud-entry.ts';
import { compileCloud } from './compile-cloud.ts';
import { compileSignIn } from './compile-sign-in.ts';
import { cloudOfEnvironment, isMapping, mergeCloud, mergeDeep, normalizeKeys, type RawCloud } from './raw-cloud.ts';
import { cloudInRegion } from './region.ts';
import { loadWritten } from './written-yaml.ts';

/** The inputs; the caller provides process.env and the file system. */
export interface CloudsYamlOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined to search no working directory. */
  readonly cwd: string | undefined;
  readonly home: string;
  /** Undefined if the file does not exist. */
  readonly readFile: (path: string) => string | undefined;
}

interface LoadedFile {
  readonly path: string;
  readonly content: RawCloud;
}

const ENVIRONMENT = 'the environment';

/**
 * Reads clouds the way OpenStack's own clients do: the first clouds.yaml found, merged with secure.yaml and with
 * profiles from clouds-public.yaml, and the cloud `envvars` from the `OS_*` variables.
 * https://docs.openstack.org/openstacksdk/latest/user/config/configuration.html
 */
export class CloudsYaml {
  /** Paths of the files that were read. */
  readonly files: { readonly clouds: string | undefined; readonly secure: string | undefined };
  readonly #options: CloudsYamlOptions;
  readonly #clouds: ReadonlyMap<string, RawCloud>;
  readonly #publicClouds: LoadedFile | undefined;
  readonly #source: string;
  readonly #environmentName: string | undefined;

  /** Throws a {@link CloudConfigError} if a file is not valid YAML or lacks the expected structure. */
  constructor(options: CloudsYamlOptions) {
    this.#options = options;
    const { env } = options;
    const file = this.#find('clouds', env.OS_CLIENT_CONFIG_FILE);
    const secure = this.#find('secure', env.OS_CLIENT_SECURE_FILE);
    this.#publicClouds = this.#find('clouds-public', undefined);
    this.files = { clouds: file?.path, secure: secure?.path };
    this.#source = file?.path ?? `${join(this.#home(), '.config/openstack')}/clouds.yaml`;

    const merged = mergeDeep(file?.content ?? {}, secure?.content ?? {});
    const clouds = new Map<string, RawCloud>();
    for (const [name, cloud] of Object.entries(this.#mapping(merged.clouds ?? {}, this.#source, 'clouds'))) {
      clouds.set(name, normalizeKeys(this.#mapping(cloud ?? {}, this.#source, 'clouds', name)));
    }
    const fromEnvironment = cloudOfEnvironment(env);
    if (fromEnvironment !== undefined) {
      const name = env.OS_CLOUD_NAME ?? 'envvars';
      if (clouds.has(name)) {
        const problem = `the environment also describes a cloud with this name; rename one (OS_CLOUD_NAME), or unset its variables`;
        throw new CloudConfigError(this.#source, problem, { cloud: name });
      }
      clouds.set(name, fromEnvironment);
      this.#environmentName = name;
    }
    this.#clouds = clouds;
  }

  get names(): readonly string[] {
    return [...this.#clouds.keys()];
  }

  /**
   * The cloud with this name. Without a name: the one named by OS_CLOUD, then `envvars`, then the only cloud. `over`
   * takes precedence over the files. Throws a {@link CloudConfigError} that names the file, cloud and key.
   */
  get(requestedName?: string, over: RawCloud = {}): CloudConfig {
    const { name, raw, context } = this.#written(requestedName, over);
    return compileCloud(name, raw, context);
  }

  /**
   * How a person or machine signs in to the cloud that {@link get} would choose; a person can be prompted for missing
   * values.
   */
  signIn(requestedName?: string, over: RawCloud = {}): SignInConfig {
    const { name, raw, context } = this.#written(requestedName, over);
    return compileSignIn(new CloudEntry(name, raw, context));
  }

  #written(
    requestedName: string | undefined,
    over: RawCloud,
  ): { readonly name: string; readonly raw: RawCloud; readonly context: CompileContext } {
    const name = requestedName ?? this.#defaultName();
    const written = this.#clouds.get(name);
    if (written === undefined) {
      throw new CloudConfigError(this.#source, `no such cloud, only: ${this.names.join(', ') || 'none'}`, {
        cloud: name,
      });
    }
    const isEnvironment = name === this.#environmentName;
    const profile = isEnvironment ? undefined : (written.profile ?? written.cloud);
    const own = profile === undefined ? written : mergeCloud(this.#profile(name, profile), written);
    const source = isEnvironment ? ENVIRONMENT : this.#source;
    const regional = cloudInRegion(own, this.#options.env.OS_REGION_NAME || undefined);
    if ('problem' in regional) throw new CloudConfigError(source, regional.problem, { cloud: name, key: regional.key });
    return { name, raw: mergeCloud(regional.cloud, over), context: { source, home: this.#home() } };
  }

  #defaultName(): string {
    const name = this.#options.env.OS_CLOUD ?? this.#environmentName;
    if (name !== undefined) return name;
    const [only] = this.names;
    if (only !== undefined && this.#clouds.size === 1) return only;
    throw new CloudConfigError(
      this.#source,
      `no cloud selected; specify one, or set OS_CLOUD: ${this.names.join(', ') || 'none available'}`,
    );
  }

  #profile(cloud: string, profile: unknown): RawCloud {
    const name = String(profile);
    const source = this.#publicClouds?.path ?? 'clouds-public.yaml';
    const profiles = this.#mapping(this.#publicClouds?.content['public-clouds'] ?? {}, source, 'public-clouds');
    const found = profiles[name];
    if (found !== undefined) return normalizeKeys(this.#mapping(found, source, 'public-clouds', name));
    const problem = `${source} has no profile ${name}; profiles built into other clients must be defined there`;
    throw new CloudConfigError(this.#source, problem, { cloud, key: 'profile' });
  }

  #find(stem: string, override: string | undefined): LoadedFile | undefined {
    const candidates = this.#folders().flatMap((folder) =>
      ['yaml', 'yml', 'json'].map((ext) => join(folder, `${stem}.${ext}`)),
    );
    for (const path of override === undefined ? candidates : [override, ...candidates]) {
      const text = this.#read(path);
      if (text !== undefined) return { path, content: this.#parse(path, text) };
      if (path === override)
        throw new CloudConfigError(
          path,
          'no such file, but the environment refers to it: correct or unset OS_CLIENT_CONFIG_FILE and OS_CLIENT_SECURE_FILE',
        );
    }
    return undefined;
  }

  #read(path: string): string | undefined {
    try {
      return this.#options.readFile(path);
    } catch (error) {
      throw new CloudConfigError(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** The directories from appdirs, and those that other clients always search. */
  #folders(): readonly string[] {
    const { cwd, env } = this.#options;
    const ownConfig = join(this.#home(), '.config');
    const site = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter((folder) => folder !== '');
    return [
      ...(cwd === undefined ? [] : [cwd]),
      ...[env.XDG_CONFIG_HOME || ownConfig, ownConfig, ...site, '/etc'].map((folder) => join(folder, 'openstack')),
    ];
  }

  /** Snap packages change HOME. */
  #home(): string {
    return this.#options.env.SNAP_REAL_HOME || this.#options.home;
  }

  #parse(path: string, text: string): RawCloud {
    let content: unknown;
    try {
      content = loadWritten(text, path);
    } catch (error) {
      throw new CloudConfigError(path, `is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
    }
    return this.#mapping(content ?? {}, path);
  }

  #mapping(value: unknown, source: string, key?: string, cloud?: string): RawCloud {
    if (isMapping(value)) return value;
    const at = { ...(cloud !== undefined && { cloud }), ...(key !== undefined && { key }) };
    throw new CloudConfigError(source, 'must be a mapping', at);
  }
}
