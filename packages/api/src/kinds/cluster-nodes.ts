import { z } from 'zod';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

/** URLs that are safe in containerd, systemd and apt configuration files without escaping, and contain no password. */
const URL_PATTERN =
  /^https?:\/\/(\[[0-9a-fA-F:]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(:[0-9]{1,5})?(\/[A-Za-z0-9._~/-]{0,200})?$/;
const URL_MESSAGE =
  'must be a URL such as https://mirror.example.com:5000 without user and password, which the user data of servers would expose; let the mirror or proxy identify nodes by their addresses';

const url = () => z.string().max(512).regex(URL_PATTERN, URL_MESSAGE);

/** `spec.registryMirrors` of a Cluster. */
export const registryMirrors = z
  .array(
    z
      .object({
        registry: z
          .string()
          .max(253)
          .regex(
            /^[a-z0-9]([a-z0-9.-]{0,245}[a-z0-9])?(:[0-9]{1,5})?$/,
            'must be a registry as in image names, such as docker.io or registry.example.com:5000',
          )
          .describe('Name of the registry as in image names, such as docker.io.'),
        mirrors: z
          .array(
            z
              .object({
                url: url().describe(
                  'URL of the mirror. "/v2" is appended to its path, unless the path already starts with it, as in https://harbor.example.com/v2/cache.',
                ),
                certificateAuthority: z
                  .string()
                  .max(16_384)
                  .optional()
                  .describe('CA certificates for the mirror, in PEM. Default: the CAs that the node image trusts.'),
              })
              .describe('Mirror of the registry.'),
          )
          .min(1)
          .max(5)
          .meta({ 'x-kubernetes-list-type': 'atomic' })
          .describe('Mirrors to try before the registry itself, in this order.'),
      })
      .describe('Mirrors of a registry.'),
  )
  .max(20)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['registry'] })
  .describe(
    "Registry mirrors from which nodes try to pull images before they try the operator's mirrors and the registries themselves. A change replaces or reinstalls the nodes.",
  );

/** `spec.proxy` of a Cluster. */
export const nodeProxy = z
  .object({
    httpProxy: url()
      .optional()
      .describe('Proxy for http:// URLs, used by containerd, kubelet and the installation of nodes.'),
    httpsProxy: url().optional().describe('Proxy for https:// URLs.'),
    noProxy: z
      .array(
        z
          .string()
          .max(253)
          .regex(
            /^[A-Za-z0-9.*:/[\]_-]{1,253}$/,
            'must be a host, domain or network, such as .example.com or 10.0.0.0/8',
          ),
      )
      .max(100)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe(
        "Hosts, domains and networks that are reached without the proxy. The cluster's own networks, its API server and the cloud's metadata service are always included.",
      ),
  })
  .optional()
  .describe(
    'Proxy settings of the nodes, instead of those of the operator. A change replaces or reinstalls the nodes. The settings do not apply to pods.',
  );

export type RegistryMirrors = NonNullable<z.infer<typeof registryMirrors>>;
export type NodeProxy = NonNullable<z.infer<typeof nodeProxy>>;

export const CLUSTER_NODES_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<NodeProxy>({
    path: 'spec.proxy',
    field: 'spec.proxy',
    cel: 'has(self.httpProxy) || has(self.httpsProxy)',
    holds: ({ httpProxy, httpsProxy }) => httpProxy !== undefined || httpsProxy !== undefined,
    message: 'has no proxy: set httpProxy, httpsProxy or both, or remove it',
  }),
];
