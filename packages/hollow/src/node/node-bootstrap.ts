import { KubeconfigError, parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { Taint } from '@fairway/kube/kinds/generated/types';
import { load } from 'js-yaml';
import { z } from 'zod';
import { decodeUserData, parseCloudConfig, UserDataError } from './cloud-init.ts';
import { type KubeletFlags, parseKubeletFlags } from './kubelet-flags.ts';

const BOOTSTRAP_KUBECONFIG = '/etc/kubernetes/bootstrap-kubeconfig';
const KUBELET_CONFIG = '/var/lib/kubelet/config.yaml';
const KUBELET_FLAGS = '/etc/default/kubelet';

/** Quantities by name, as strings or YAML numbers. */
const Quantities = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));

/** The fields of `kubelet.config.k8s.io/v1beta1` that a hollow node honors, with kubelet's defaults. */
const KubeletConfiguration = z.looseObject({
  kind: z.literal('KubeletConfiguration'),
  kubeReserved: Quantities.default({}),
  systemReserved: Quantities.default({}),
  evictionHard: Quantities.default({
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
    'imagefs.available': '15%',
  }),
  maxPods: z.number().int().positive().default(110),
  nodeLeaseDurationSeconds: z.number().int().positive().default(40),
  registerWithTaints: z
    .array(z.looseObject({ key: z.string(), value: z.string().optional(), effect: z.string() }))
    .nullish()
    .transform((taints) => taints ?? []),
  providerID: z.string().optional(),
  rotateCertificates: z.boolean().default(false),
  serverTLSBootstrap: z.boolean().default(false),
});
export type KubeletConfiguration = z.infer<typeof KubeletConfiguration>;

/** The node settings in a server's user data. */
export interface NodeBootstrap {
  readonly nodeName: string | undefined;
  /** URL of the API server. */
  readonly server: string;
  readonly serverName: string | undefined;
  /** PEM bundle. */
  readonly certificateAuthority: string | undefined;
  readonly token: string;
  /** `1.34.2`; undefined if the image provides the kubelet. */
  readonly kubernetesVersion: string | undefined;
  readonly containerdVersion: string | undefined;
  readonly flags: KubeletFlags;
  readonly kubelet: KubeletConfiguration;
  readonly taints: readonly Taint[];
}

/** Whether the user data belongs to a node; other servers in the cloud are ignored. */
export function isNodeUserData(userData: string | Uint8Array): boolean {
  try {
    return decodeUserData(userData).includes(BOOTSTRAP_KUBECONFIG);
  } catch {
    return false;
  }
}

/** Parses user data as cloud-init and kubelet would. Throws a UserDataError that names what is missing or invalid. */
export function parseUserData(userData: string | Uint8Array): NodeBootstrap {
  const { hostname, files } = parseCloudConfig(decodeUserData(userData));
  const kubeconfig = files.get(BOOTSTRAP_KUBECONFIG);
  if (kubeconfig === undefined) throw new UserDataError(`cloud-config writes no ${BOOTSTRAP_KUBECONFIG}`);
  const flags = parseKubeletFlags(files.get(KUBELET_FLAGS) ?? '');
  const kubelet = parseKubeletConfiguration(files.get(KUBELET_CONFIG));
  const scripts = [...files].filter(([path]) => path.startsWith('/usr/local/')).map(([, content]) => content);
  return {
    ...parseBootstrapKubeconfig(kubeconfig, files),
    nodeName: flags.hostnameOverride ?? hostname,
    kubernetesVersion: firstMatch(scripts, /\bkubelet=v?(\d+\.\d+\.\d+)/),
    containerdVersion: firstMatch(scripts, /\bcontainerd(?:\.io)?=v?(\d+\.\d+(?:\.\d+)?)/),
    flags,
    kubelet,
    taints: uniqueTaints([...flags.registerWithTaints, ...kubelet.registerWithTaints]),
  };
}

function parseBootstrapKubeconfig(text: string, files: ReadonlyMap<string, string>) {
  try {
    const config = parseKubeconfig(text, BOOTSTRAP_KUBECONFIG);
    const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
    const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
    const user = config.users.find(({ name }) => name === context?.user)?.user;
    if (cluster === undefined) throw new UserDataError(`${BOOTSTRAP_KUBECONFIG}: the current context has no cluster`);
    if (!user?.token) throw new UserDataError(`${BOOTSTRAP_KUBECONFIG}: the current context has no bootstrap token`);
    const data = cluster['certificate-authority-data'];
    const file = cluster['certificate-authority'];
    return {
      server: cluster.server,
      serverName: cluster['tls-server-name'],
      certificateAuthority: data ? Buffer.from(data, 'base64').toString('utf8') : files.get(file ?? ''),
      token: user.token,
    };
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserDataError(error.message, { cause: error });
    throw error;
  }
}

function parseKubeletConfiguration(text: string | undefined): KubeletConfiguration {
  if (text === undefined) throw new UserDataError(`cloud-config writes no ${KUBELET_CONFIG}`);
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    throw new UserDataError(`${KUBELET_CONFIG} is not valid YAML: ${(error as Error).message}`, { cause: error });
  }
  const parsed = KubeletConfiguration.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new UserDataError(`${KUBELET_CONFIG}: ${z.prettifyError(parsed.error)}`);
}

function uniqueTaints(taints: readonly { key: string; value?: string | undefined; effect: string }[]): Taint[] {
  const unique = new Map<string, Taint>();
  for (const { key, value, effect } of taints) {
    unique.set(`${key}:${effect}`, { key, ...(value && { value }), effect });
  }
  return [...unique.values()];
}

function firstMatch(texts: readonly string[], pattern: RegExp): string | undefined {
  return texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
}
