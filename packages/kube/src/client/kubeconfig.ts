import { dump, loadAll } from 'js-yaml';
import { z } from 'zod';

const EntryList = <Shape extends z.ZodType>(schema: Shape) =>
  z
    .array(schema)
    .nullish()
    .transform((list) => list ?? []);

/** A field with a null or empty value counts as absent, as in kubectl. */
function withoutEmptyFields<Shape extends z.ZodType>(schema: Shape) {
  return z.preprocess((value) => {
    if (value === null || value === undefined) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== ''));
  }, schema);
}

// Entries are validated only if selected, because other entries in the file may be broken.
const KubeconfigCluster = z.looseObject({
  server: z.string().default(''),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
  'proxy-url': z.string().optional(),
});
export type KubeconfigCluster = z.infer<typeof KubeconfigCluster>;

const KubeconfigUser = z.looseObject({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
});
export type KubeconfigUser = z.infer<typeof KubeconfigUser>;

const KubeconfigContext = z.looseObject({
  cluster: z.string().default(''),
  user: z.string().default(''),
  namespace: z.string().optional(),
});
export type KubeconfigContext = z.infer<typeof KubeconfigContext>;

/** A kubeconfig file of `kind: Config`, `apiVersion: v1`; unknown fields are kept. */
const Kubeconfig = withoutEmptyFields(
  z.looseObject({
    clusters: EntryList(z.object({ name: z.string(), cluster: withoutEmptyFields(KubeconfigCluster) })),
    users: EntryList(z.object({ name: z.string(), user: withoutEmptyFields(KubeconfigUser) })),
    contexts: EntryList(z.object({ name: z.string(), context: withoutEmptyFields(KubeconfigContext) })),
    'current-context': z.string().optional(),
  }),
);
export type Kubeconfig = z.infer<typeof Kubeconfig>;

/** An invalid kubeconfig; the message reports the problem and, if known, the file. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** Reads YAML or JSON text. `path` is for messages. */
export function parseKubeconfig(text: string, path = 'kubeconfig'): Kubeconfig {
  try {
    return Kubeconfig.parse(loadAll(text)[0] ?? {});
  } catch (error) {
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new KubeconfigError(`${path} is not a kubeconfig: ${detail}`, { cause: error });
  }
}

/** Paths that kubectl would read: the list in `KUBECONFIG`, or `~/.kube/config`. */
export function kubeconfigPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (env['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '');
  return listed.length > 0 ? [...new Set(listed)] : [`${env['HOME'] ?? ''}/.kube/config`];
}

/** Merges files as kubectl does: the first definition of a cluster, user, context or current-context wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const current = configs.map((config) => config['current-context']).find((name) => name);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: uniqueByName(configs.flatMap((config) => config.clusters)),
    users: uniqueByName(configs.flatMap((config) => config.users)),
    contexts: uniqueByName(configs.flatMap((config) => config.contexts)),
    ...(current && { 'current-context': current }),
  };
}

function uniqueByName<Entry extends { readonly name: string }>(entries: readonly Entry[]): Entry[] {
  const byName = new Map<string, Entry>();
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry);
  return [...byName.values()];
}

/** The contents of a new kubeconfig; PEM as plain text. */
export interface KubeconfigContents {
  /** Name of the cluster and of the context. */
  readonly name: string;
  readonly server: string;
  readonly certificateAuthority?: string;
  readonly serverName?: string;
  readonly namespace?: string;
  /** Name of the user entry; `NAME-admin` by default. */
  readonly userName?: string;
  readonly token?: string;
  /** The certificate without its key if the requester adds the key itself. */
  readonly clientCertificate?: { readonly certificate: string; readonly privateKey: string | undefined };
  /** A credential plugin instead of a credential. */
  readonly exec?: ExecPlugin;
}

/** The exec section of a user. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

/**
 * Renders a kubeconfig with one context, which is the current one, as YAML. All credentials are inline, unless a plugin
 * provides them.
 */
export function renderKubeconfig(contents: KubeconfigContents): string {
  const { name, certificateAuthority, serverName, namespace, token, clientCertificate, exec } = contents;
  const user = contents.userName ?? `${name}-admin`;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          ...(certificateAuthority !== undefined && { 'certificate-authority-data': toBase64(certificateAuthority) }),
          server: contents.server,
          ...(serverName !== undefined && { 'tls-server-name': serverName }),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...(clientCertificate && {
            'client-certificate-data': toBase64(clientCertificate.certificate),
            ...(clientCertificate.privateKey !== undefined && {
              'client-key-data': toBase64(clientCertificate.privateKey),
            }),
          }),
          ...(token !== undefined && { token }),
          ...(exec !== undefined && { exec }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, ...(namespace !== undefined && { namespace }) } }],
    'current-context': name,
  } satisfies Kubeconfig;
  return dump(config, { lineWidth: -1 });
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
