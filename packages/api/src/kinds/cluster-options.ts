import { z } from 'zod';
import { duration, int32, ipv4Cidr, quantity } from '../schema/scalars.ts';
import { auditSpec } from './cluster-audit.ts';

const syncPeriods = {
  minSyncPeriod: duration().optional().describe('Shortest time between two rewrites of the rules.'),
  syncPeriod: duration().optional().describe('Longest time between two rewrites of the rules.'),
};

/** `spec.kubeProxy` of a Cluster. */
export const kubeProxySpec = z
  .object({
    mode: z
      .enum(['iptables', 'ipvs', 'nftables', 'none'])
      .optional()
      .describe('How Services are implemented. Empty: iptables, or none where the CNI replaces kube-proxy. Immutable.'),
    iptables: z.object(syncPeriods).optional().describe('Settings of mode iptables.'),
    ipvs: z
      .object({
        ...syncPeriods,
        scheduler: z
          .enum(['rr', 'lc', 'dh', 'sh', 'sed', 'nq'])
          .optional()
          .describe('How a backend is chosen: round robin, least connections, destination or source hash, …'),
        tcpTimeout: duration().optional().describe('Idle timeout of TCP sessions; 0s or at least 5s.'),
        tcpFinTimeout: duration().optional().describe('Timeout of TCP sessions after a FIN.'),
        udpTimeout: duration().optional().describe('Idle timeout of UDP sessions.'),
      })
      .optional()
      .describe('Settings of mode ipvs.'),
  })
  .describe('kube-proxy on the nodes.');

const resourceList = z.object({
  cpu: quantity().optional().describe('CPU, as a Kubernetes quantity.'),
  memory: quantity().optional().describe('Memory, as a Kubernetes quantity.'),
});

const containerResources = z.object({
  limits: resourceList.optional().describe('Upper limits.'),
  requests: resourceList.optional().describe('What the scheduler sets aside.'),
});

/** `spec.cni` of a Cluster. */
export const cniSpec = z
  .object({
    type: z
      .enum(['canal', 'cilium', 'none'])
      .optional()
      .describe(
        "The pod network. Empty: the plan's default. canal, cilium: Fairway installs it. none: install one yourself. Immutable.",
      ),
    cilium: z
      .object({
        clusterID: int32().min(1).max(255).optional().describe('Number of this cluster in a Cilium cluster mesh.'),
        clusterMesh: z
          .object({
            enabled: z.boolean().default(false).describe('Whether to run the mesh API server.'),
            apiServer: z
              .object({
                serviceType: z
                  .enum(['LoadBalancer', 'NodePort'])
                  .default('LoadBalancer')
                  .describe('How other clusters reach it.'),
                nodePort: int32().min(30000).max(32767).optional().describe('Port for serviceType NodePort.'),
              })
              .optional()
              .describe('The mesh API server.'),
          })
          .optional()
          .describe('Cluster mesh.'),
        hubble: z
          .object({
            enabled: z.boolean().default(false).describe('Whether to observe flows.'),
            relay: z
              .object({ enabled: z.boolean().default(false).describe('Whether to run the relay.') })
              .optional()
              .describe('Collects the flows of all nodes.'),
            ui: z
              .object({
                enabled: z.boolean().default(false).describe('Whether to run the interface.'),
                backendResources: containerResources.optional().describe('Resources of its back end.'),
                frontendResources: containerResources.optional().describe('Resources of its front end.'),
              })
              .optional()
              .describe('Web interface.'),
          })
          .optional()
          .describe('Observability of the network.'),
      })
      .optional()
      .describe('Settings of Cilium.'),
  })
  .describe('The pod network. Fairway installs Canal and Cilium, unless the cluster has one of its own.');

const oidc = z
  .object({
    issuerURL: z
      .string()
      .max(2048)
      .regex(/^https:\/\/[^?#@\s]+$/, 'must be an https URL without query, fragment or user')
      .describe(
        'URL of the issuer; its discovery document must be reachable from the control plane, which is outside of the cluster.',
      ),
    clientID: z.string().min(1).max(253).describe('Client id that tokens must be issued for.'),
    usernameClaim: z.string().min(1).max(253).default('sub').describe('Claim that holds the name of the user.'),
    usernamePrefix: z
      .string()
      .max(253)
      .optional()
      .describe('Put before the name of the user; "-" for none. Empty: the URL of the issuer, except for claim email.'),
    groupsClaims: z
      .array(z.string().min(1).max(253))
      .max(10)
      .optional()
      .describe('Claims that hold groups of the user.'),
    groupsPrefix: z.string().max(253).optional().describe('Put before the name of each group.'),
    requiredClaims: z
      .record(z.string(), z.string().max(253))
      .optional()
      .describe('Claims that a token must hold, with their values.'),
    signingAlgorithms: z
      .array(z.enum(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']))
      .max(9)
      .default(['RS256'])
      .describe(
        "Signature algorithms that are accepted. Where control planes run as processes, the issuer's keys decide alone.",
      ),
    certificateAuthority: z
      .string()
      .max(65536)
      .optional()
      .describe("PEM of the CAs that the issuer's certificate must come from. Empty: the public ones."),
  })
  .describe("Tokens of an OpenID Connect provider as identities of the cluster's users.");

/** ClusterRoles of Kubernetes' own that roles of Keystone can give. */
export const KEYSTONE_CLUSTER_ROLES = ['cluster-admin', 'admin', 'edit', 'view'] as const;
export type KeystoneClusterRole = (typeof KEYSTONE_CLUSTER_ROLES)[number];

const keystone = z
  .object({
    projects: z
      .array(
        z
          .string()
          .max(64)
          .regex(/^[A-Za-z0-9_-]+$/, 'must be the id of a project, not its name'),
      )
      .min(1)
      .max(16)
      .optional()
      .describe(
        'Ids of the projects whose users are let in, in place of the one that the cluster lives in. Empty: that one alone.',
      ),
    roles: z
      .record(z.string(), z.enum(KEYSTONE_CLUSTER_ROLES))
      .optional()
      .describe(
        'The ClusterRole that each role of Keystone in one of these projects gives in the whole cluster. Empty: cluster-admin for admin, member and k8s_admin, edit for k8s_developer, view for reader and k8s_viewer. {}: none, for RoleBindings of your own. With a policy none by default.',
      ),
    policy: z
      .string()
      .max(16384)
      .optional()
      .describe(
        'JSON of a policy of k8s-keystone-auth, which gives further rights to these users. Names of users and projects count in the default domain alone, ids everywhere.',
      ),
  })
  .describe("Users of the cloud's Keystone as users of the cluster, by their tokens. Without it there are none.");

/** Admission plugins that users may enable or disable. */
export const ADMISSION_PLUGINS = ['AlwaysPullImages', 'NodeRestriction'] as const;

/** `spec.apiServer` of a Cluster. */
export const apiServerSpec = z
  .object({
    admissionPlugins: z
      .object({
        enabled: z
          .array(z.enum(ADMISSION_PLUGINS))
          .max(2)
          .default(['AlwaysPullImages', 'NodeRestriction'])
          .describe('Plugins that are on. NodeRestriction is, whether named here or not.'),
        disabled: z
          .array(z.enum(['AlwaysPullImages']))
          .max(1)
          .default([])
          .describe(
            'Plugins that are off, whatever enabled says. NodeRestriction keeps nodes apart and cannot be switched off.',
          ),
      })
      .prefault({})
      .describe('Admission plugins beyond those that Kubernetes enables.'),
    allowedCIDRs: z
      .array(ipv4Cidr())
      .max(100)
      .optional()
      .describe(
        'Addresses that may reach the API server. Empty: all. The addresses that the nodes come from are always allowed.',
      ),
    oidc: oidc.optional(),
    keystone: keystone.optional(),
    audit: auditSpec.optional(),
  })
  .describe("Settings of the cluster's API server.");
