import { z } from 'zod';
import { duration, int32, ipv4Cidr, quantity } from '../schema/scalars.ts';
import { auditSpec } from './cluster-audit.ts';

const syncPeriods = {
  minSyncPeriod: duration().optional().describe('Minimum time between two updates of the rules.'),
  syncPeriod: duration().optional().describe('Maximum time between two updates of the rules.'),
};

/** `spec.kubeProxy` of a Cluster. */
export const kubeProxySpec = z
  .object({
    mode: z
      .enum(['iptables', 'ipvs', 'nftables', 'none'])
      .optional()
      .describe('How Services are implemented. Default: iptables, or none if the CNI replaces kube-proxy. Immutable.'),
    iptables: z.object(syncPeriods).optional().describe('Settings for mode iptables.'),
    ipvs: z
      .object({
        ...syncPeriods,
        scheduler: z
          .enum(['rr', 'lc', 'dh', 'sh', 'sed', 'nq'])
          .optional()
          .describe('Scheduling algorithm for backends: round robin, least connections, destination or source hash, …'),
        tcpTimeout: duration().optional().describe('Idle timeout of TCP sessions; 0s or at least 5s.'),
        tcpFinTimeout: duration().optional().describe('Timeout of TCP sessions after a FIN packet.'),
        udpTimeout: duration().optional().describe('Idle timeout of UDP sessions.'),
      })
      .optional()
      .describe('Settings for mode ipvs.'),
  })
  .describe('Settings of kube-proxy on the nodes.');

const resourceList = z.object({
  cpu: quantity().optional().describe('CPU, as a Kubernetes quantity.'),
  memory: quantity().optional().describe('Memory, as a Kubernetes quantity.'),
});

const containerResources = z.object({
  limits: resourceList.optional().describe('Maximum resources that the container can use.'),
  requests: resourceList.optional().describe('Resources that the scheduler reserves for the container.'),
});

/** `spec.cni` of a Cluster. */
export const cniSpec = z
  .object({
    type: z
      .enum(['canal', 'cilium', 'none'])
      .optional()
      .describe(
        'Type of the pod network. Empty: the default of the plan. canal, cilium: Fairway installs the pod network. none: you install a pod network yourself. Immutable.',
      ),
    cilium: z
      .object({
        clusterID: int32().min(1).max(255).optional().describe('ID of this cluster in a Cilium cluster mesh.'),
        clusterMesh: z
          .object({
            enabled: z.boolean().default(false).describe('Whether to run the mesh API server.'),
            apiServer: z
              .object({
                serviceType: z
                  .enum(['LoadBalancer', 'NodePort'])
                  .default('LoadBalancer')
                  .describe('Type of the Service through which other clusters reach the API server of the mesh.'),
                nodePort: int32().min(30000).max(32767).optional().describe('Port for serviceType NodePort.'),
              })
              .optional()
              .describe('API server of the mesh.'),
          })
          .optional()
          .describe('Cilium cluster mesh.'),
        hubble: z
          .object({
            enabled: z.boolean().default(false).describe('Whether to enable Hubble.'),
            relay: z
              .object({ enabled: z.boolean().default(false).describe('Whether to run Hubble relay.') })
              .optional()
              .describe('Hubble relay, which collects the flows of all nodes.'),
            ui: z
              .object({
                enabled: z.boolean().default(false).describe('Whether to run the Hubble UI.'),
                backendResources: containerResources.optional().describe("Resources of the UI's back end."),
                frontendResources: containerResources.optional().describe("Resources of the UI's front end."),
              })
              .optional()
              .describe('Hubble UI, the web interface.'),
          })
          .optional()
          .describe('Observability with Hubble.'),
      })
      .optional()
      .describe('Settings of Cilium.'),
  })
  .describe(
    'Pod network of the cluster. Fairway installs Canal and Cilium, unless the cluster has its own pod network.',
  );

const oidc = z
  .object({
    issuerURL: z
      .string()
      .max(2048)
      .regex(/^https:\/\/[^?#@\s]+$/, 'must be an https URL without query, fragment or user')
      .describe(
        'URL of the issuer. Its discovery document must be reachable from the control plane, which is outside the cluster.',
      ),
    clientID: z.string().min(1).max(253).describe('Client ID for which tokens must be issued.'),
    usernameClaim: z.string().min(1).max(253).default('sub').describe('Claim to use as the user name.'),
    usernamePrefix: z
      .string()
      .max(253)
      .optional()
      .describe(
        'Prefix added to user names; "-" for no prefix. Default: issuerURL followed by "#", or no prefix if usernameClaim is email.',
      ),
    groupsClaims: z
      .array(z.string().min(1).max(253))
      .max(10)
      .optional()
      .describe("Claims to use as the user's groups."),
    groupsPrefix: z.string().max(253).optional().describe('Prefix added to group names.'),
    requiredClaims: z
      .record(z.string(), z.string().max(253))
      .optional()
      .describe('Claims that a token must have, with their values.'),
    signingAlgorithms: z
      .array(z.enum(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']))
      .max(9)
      .default(['RS256'])
      .describe(
        "Signature algorithms to accept. For process-based control planes, the issuer's keys determine the algorithms.",
      ),
    certificateAuthority: z
      .string()
      .max(65536)
      .optional()
      .describe("CA certificates that the issuer's certificate must chain to, in PEM. Default: the public CAs."),
  })
  .describe('OpenID Connect provider that authenticates users of the cluster.');

/** Built-in ClusterRoles that Keystone roles can grant. */
export const KEYSTONE_CLUSTER_ROLES = ['cluster-admin', 'admin', 'edit', 'view'] as const;
export type KeystoneClusterRole = (typeof KEYSTONE_CLUSTER_ROLES)[number];

const keystone = z
  .object({
    projects: z
      .array(
        z
          .string()
          .max(64)
          .regex(/^[A-Za-z0-9_-]+$/, 'must be the ID of a project, not its name'),
      )
      .min(1)
      .max(16)
      .optional()
      .describe(
        "IDs of the projects whose users have access. The cluster's own project is not included unless it is listed. Default: only the cluster's own project.",
      ),
    roles: z
      .record(z.string(), z.enum(KEYSTONE_CLUSTER_ROLES))
      .optional()
      .describe(
        'ClusterRole that each Keystone role in these projects grants in the whole cluster. Default: cluster-admin for admin, member and k8s_admin; edit for k8s_developer; view for reader and k8s_viewer; none of these if policy is set. Empty map: no ClusterRoles are granted, so that you can create your own RoleBindings.',
      ),
    policy: z
      .string()
      .max(16384)
      .optional()
      .describe(
        'k8s-keystone-auth policy in JSON, which grants additional rights to these users. Names of users and projects match only in the default domain; IDs match in all domains.',
      ),
  })
  .describe("Authentication of the cloud's Keystone users with their tokens. Absent: disabled.");

/** Admission plugins that users can enable or disable. */
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
          .describe('Plugins to enable. NodeRestriction is always enabled.'),
        disabled: z
          .array(z.enum(['AlwaysPullImages']))
          .max(1)
          .default([])
          .describe(
            'Plugins to disable, even if they are listed in `enabled`. NodeRestriction isolates nodes from each other and cannot be disabled.',
          ),
      })
      .prefault({})
      .describe('Admission plugins in addition to those that Kubernetes enables by default.'),
    allowedCIDRs: z
      .array(ipv4Cidr())
      .max(100)
      .optional()
      .describe('CIDRs that can reach the API server. Default: all CIDRs. The nodes always have access.'),
    oidc: oidc.optional(),
    keystone: keystone.optional(),
    audit: auditSpec.optional(),
  })
  .describe("Settings of the cluster's API server.");
