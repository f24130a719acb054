import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type Clock, systemClock } from '@fairway/base/clock';
import { cachedLoader } from './credential-source.ts';
import { execCredentials, type RunProgram } from './exec-credential.ts';
import type { ClientCertificate } from './https-connections.ts';
import type { HttpsTransportOptions } from './https-transport.ts';
import {
  type Kubeconfig,
  type KubeconfigCluster,
  KubeconfigError,
  type KubeconfigUser,
  kubeconfigPaths,
  mergeKubeconfigs,
  parseKubeconfig,
} from './kubeconfig.ts';

export interface KubeconfigLoaderOptions {
  /** Overrides `KUBECONFIG`. */
  readonly path?: string | undefined;
  /** Overrides the current context. */
  readonly context?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly readFile?: (path: string) => Promise<string>;
  readonly clock?: Clock;
  /** Whether a plugin may prompt the user; by default, only if standard input is a terminal. */
  readonly isTerminal?: boolean;
  /** False for a kubeconfig at `path` that was found automatically: it may be untrusted, so its plugins are not run. */
  readonly mayRunPlugins?: boolean;
  /** Runs credential plugins. */
  readonly run?: RunProgram;
  /** Kills plugins that are still running. */
  readonly signal?: AbortSignal;
}

/** One context from a kubeconfig, ready to connect with. */
export interface KubeConnection {
  readonly context: string;
  readonly cluster: string;
  readonly namespace: string | undefined;
  readonly transport: HttpsTransportOptions;
}

type ReadFile = (path: string) => Promise<string>;

/** Reads the kubeconfig that kubectl would read, and the files that the selected context refers to. Rejects with a KubeconfigError. */
export async function loadKubeConnection(options: KubeconfigLoaderOptions = {}): Promise<KubeConnection> {
  const read: ReadFile = options.readFile ?? ((path) => readFile(path, 'utf8'));
  const { config, contextName, context, cluster } = await selectContext(options, read);
  // A context without a user provides no credential.
  const { user } = context.user === '' ? { user: {} } : findEntry(config.users, 'user', context.user);
  return {
    context: contextName,
    cluster: context.cluster,
    namespace: context.namespace,
    transport: {
      ...(await clusterOptions(cluster, context.cluster, read)),
      ...(await userOptions(user, context.user, read, { cluster, options })),
    },
  };
}

/** Like {@link loadKubeConnection}, without credentials. */
export async function loadKubeServer(
  options: KubeconfigLoaderOptions = {},
): Promise<Pick<HttpsTransportOptions, 'server' | 'certificateAuthority' | 'serverName' | 'insecureSkipTlsVerify'>> {
  const read: ReadFile = options.readFile ?? ((path) => readFile(path, 'utf8'));
  const { context, cluster } = await selectContext(options, read);
  return clusterOptions(cluster, context.cluster, read);
}

/** The names of all contexts. */
export async function loadKubeContexts(options: KubeconfigLoaderOptions = {}): Promise<readonly string[]> {
  const config = await loadKubeconfig(options, options.readFile ?? ((path) => readFile(path, 'utf8')));
  return config.contexts.map(({ name }) => name);
}

async function selectContext(options: KubeconfigLoaderOptions, read: ReadFile) {
  const config = await loadKubeconfig(options, read);
  const contextName = options.context ?? config['current-context'];
  if (!contextName) throw new KubeconfigError('no context was given, and the kubeconfig has no current-context');
  const { context } = findEntry(config.contexts, 'context', contextName);
  const { cluster } = findEntry(config.clusters, 'cluster', context.cluster);
  return { config, contextName, context, cluster };
}

async function loadKubeconfig(options: KubeconfigLoaderOptions, read: ReadFile): Promise<Kubeconfig> {
  const paths = options.path === undefined ? kubeconfigPaths(options.env ?? process.env) : [options.path];
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    const text = await read(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && options.path === undefined) return undefined;
      throw new KubeconfigError(`cannot read ${path}: ${error.message}`, { cause: error });
    });
    if (text !== undefined) configs.push(withAbsolutePaths(parseKubeconfig(text, path), dirname(path)));
  }
  if (configs.length === 0) throw new KubeconfigError(`no kubeconfig at ${paths.join(' or ')}`);
  return mergeKubeconfigs(configs);
}

/** File names in a kubeconfig are relative to the file that contains them. */
function withAbsolutePaths(config: Kubeconfig, folder: string): Kubeconfig {
  const absolute = <Entry extends object>(entry: Entry, fields: readonly string[]): Entry => {
    const paths = Object.entries(entry).filter(([field, value]) => fields.includes(field) && typeof value === 'string');
    return { ...entry, ...Object.fromEntries(paths.map(([field, path]) => [field, resolve(folder, String(path))])) };
  };
  return {
    ...config,
    clusters: config.clusters.map(({ name, cluster }) => ({
      name,
      cluster: absolute(cluster, ['certificate-authority']),
    })),
    users: config.users.map(({ name, user }) => ({
      name,
      user: withAbsoluteCommand(absolute(user, ['client-certificate', 'client-key', 'tokenFile']), folder),
    })),
  };
}

/** A plugin path is relative to the kubeconfig; a plain name is looked up in PATH. */
function withAbsoluteCommand(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user;
  if (typeof exec !== 'object' || exec === null || !('command' in exec)) return user;
  const { command } = exec;
  if (typeof command !== 'string' || !command.includes('/')) return user;
  return { ...user, exec: { ...exec, command: resolve(folder, command) } };
}

function findEntry<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  entryKind: string,
  name: string,
): Entry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry) return entry;
  const known = entries.map((candidate) => candidate.name).join(', ') || 'none';
  throw new KubeconfigError(`the kubeconfig has no ${entryKind} "${name}" (it has: ${known})`);
}

async function clusterOptions(cluster: KubeconfigCluster, name: string, read: ReadFile) {
  if (!cluster.server.startsWith('https://')) {
    throw new KubeconfigError(`cluster "${name}": server must be an https:// URL, not ${cluster.server}`);
  }
  if (cluster['proxy-url']) throw new KubeconfigError(`cluster "${name}": proxy-url is not supported`);
  const data = cluster['certificate-authority-data'];
  const file = cluster['certificate-authority'];
  const certificateAuthority = data ? fromBase64(data) : file ? await read(file) : undefined;
  return {
    server: cluster.server,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { insecureSkipTlsVerify: true }),
  };
}

/** Ignoring these fields would silently change the identity. */
const UNSUPPORTED_USER_FIELDS: readonly (readonly [field: string, advice: string])[] = [
  ['auth-provider', 'Kubernetes removed it in 1.26; use a token or a client certificate'],
  ['username', 'Kubernetes removed basic authentication in 1.19; use a token or a client certificate'],
  ['as', 'impersonation is not supported; use the credentials of that user'],
];

async function userOptions(
  user: KubeconfigUser,
  name: string,
  read: ReadFile,
  {
    cluster,
    options: loaderOptions,
  }: { readonly cluster: KubeconfigCluster; readonly options: KubeconfigLoaderOptions },
): Promise<Pick<HttpsTransportOptions, 'bearerToken' | 'clientCertificate' | 'renewCredentials'>> {
  const clock = loaderOptions.clock ?? systemClock;
  for (const [field, advice] of UNSUPPORTED_USER_FIELDS) {
    if (user[field]) throw new KubeconfigError(`user "${name}": ${field} is not supported: ${advice}`);
  }
  const certificate = credentialSource(user['client-certificate-data'], user['client-certificate'], read);
  const privateKey = credentialSource(user['client-key-data'], user['client-key'], read);
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new KubeconfigError(`user "${name}": a client certificate and its key must be given together`);
  }
  // A static token takes precedence over a plugin, as in client-go.
  if (user.exec !== undefined && user.exec !== null && !user.token && !user.tokenFile && certificate === undefined) {
    if (loaderOptions.mayRunPlugins === false) throw untrustedPluginError(user.exec, name, loaderOptions.path);
    return execCredentials(user.exec, {
      user: name,
      env: loaderOptions.env ?? process.env,
      clock,
      isTerminal: loaderOptions.isTerminal ?? isatty(0),
      cluster: await clusterInfo(cluster, read),
      ...(loaderOptions.run !== undefined && { run: loaderOptions.run }),
      ...(loaderOptions.signal && { signal: loaderOptions.signal }),
    });
  }
  const token = user.token
    ? () => Promise.resolve(user.token ?? '')
    : credentialSource(undefined, user.tokenFile, read);
  const options = {
    ...(certificate &&
      privateKey && {
        clientCertificate: cachedLoader(clock, async (): Promise<ClientCertificate> => {
          return { certificate: await certificate(), privateKey: await privateKey() };
        }),
      }),
    ...(token && { bearerToken: cachedLoader(clock, async () => (await token()).trim()) }),
  };
  await Promise.all([options.clientCertificate?.(), options.bearerToken?.()]);
  return options;
}

function untrustedPluginError(exec: unknown, user: string, path = ''): KubeconfigError {
  const command = String((exec as { readonly command?: unknown }).command);
  return new KubeconfigError(
    `user "${user}": exec: ${command} is not run because the kubeconfig was found automatically: to trust ${path}, pass it with --kubeconfig or KUBECONFIG`,
  );
}

/** The cluster as passed to a plugin, with files inlined. */
async function clusterInfo(cluster: KubeconfigCluster, read: ReadFile): Promise<Record<string, unknown>> {
  const { 'certificate-authority': file, 'certificate-authority-data': data, extensions, ...rest } = cluster;
  const caData = data ?? (file === undefined ? undefined : Buffer.from(await read(file)).toString('base64'));
  const config = Array.isArray(extensions)
    ? extensions.find((each: { readonly name?: unknown }) => each.name === EXEC_EXTENSION)?.extension
    : undefined;
  return {
    ...rest,
    ...(caData !== undefined && { 'certificate-authority-data': caData }),
    ...(config !== undefined && { config }),
  };
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** Inline data takes precedence over a file, as in client-go. */
function credentialSource(
  data: string | undefined,
  path: string | undefined,
  read: ReadFile,
): (() => Promise<string>) | undefined {
  if (data) return () => Promise.resolve(fromBase64(data));
  if (!path) return undefined;
  return () =>
    read(path).catch((error: Error) => {
      throw new KubeconfigError(`cannot read ${path}: ${error.message}`, { cause: error });
    });
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
