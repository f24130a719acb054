import { X509Certificate } from 'node:crypto';
import { loadAll } from 'js-yaml';
import { z } from 'zod';

const Source = z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' });
/** A registry host, as in image references. */
const REGISTRY_HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$/;
const RegistryMirrors = z
  .record(z.string(), z.array(Source).min(1))
  .refine((mirrors) => Object.keys(mirrors).every((host) => REGISTRY_HOST.test(host)), {
    error: ({ input }) => {
      const wrong = Object.keys(input as object).filter((host) => !REGISTRY_HOST.test(host));
      return `${wrong.map((host) => JSON.stringify(host)).join(', ')}: must be a registry host as in image names, such as docker.io`;
    },
  });
const Certificates = z.string().refine(isCertificate, 'must be a PEM certificate');

const ProxySettings = z.strictObject({
  httpProxy: Source.optional(),
  httpsProxy: Source.optional(),
  /** Hosts, domains and networks that bypass the proxy (NO_PROXY). */
  noProxy: z.array(z.string().regex(/^[^\s,"']+$/, 'must be a single host, domain or network')).default([]),
});

const NodeSettings = z.strictObject({
  /** Refuses to start on cgroup v1; kubelet's default if absent. */
  failCgroupV1: z.boolean().optional(),
  /** Configures containerd for machines without CAP_SYS_RESOURCE, where pods could not start otherwise. */
  restrictOOMScoreAdj: z.boolean().optional(),
  /** Maps a registry host to the URLs to pull from instead, in order. */
  registryMirrors: RegistryMirrors.optional(),
  proxy: ProxySettings.optional(),
  /** PEM of additional CAs for the system's trust store. */
  extraCertificateAuthorities: z.array(Certificates).optional(),
  /** Apt repositories; set mirrors here for a cloud without Internet access. */
  packageSources: z
    .strictObject({
      /** Contains `/v1.34/deb/`; `https://pkgs.k8s.io/core:/stable:` by default. */
      kubernetes: Source.optional(),
      /** Contains `/ubuntu` and `/debian`; `https://download.docker.com/linux` by default. */
      containerd: Source.optional(),
    })
    .optional(),
});

export type ProxySettings = z.output<typeof ProxySettings>;
/** Operator settings for all nodes: proxies, mirrors and CAs, and workarounds for limited machines. */
export type NodeSettings = z.output<typeof NodeSettings>;

/** Thrown for invalid settings; its message names the field and the valid values. */
export class NodeSettingsError extends Error {
  override readonly name = 'NodeSettingsError';
}

/** Parses settings in YAML. */
export function parseNodeSettings(text: string): NodeSettings {
  let document: unknown;
  try {
    [document] = loadAll(text);
  } catch (error) {
    throw new NodeSettingsError(`not valid YAML: ${(error as Error).message}`, { cause: error });
  }
  const parsed = NodeSettings.safeParse(document ?? {});
  if (!parsed.success) throw new NodeSettingsError(z.prettifyError(parsed.error));
  return parsed.data;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}
