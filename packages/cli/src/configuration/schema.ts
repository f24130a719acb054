import { ORPHAN_POLICIES } from '@fairway/api/domain/orphan-policy';
import { DEFAULT_RETENTION_DAYS } from '@fairway/api/domain/usage/retention';
import { DEFAULT_USERS } from '@fairway/control-plane/process/cluster-users';
import { parseEgressTarget } from '@fairway/control-plane/process/egress/egress-policy';
import { cidrSet } from '@fairway/control-plane/process/egress/special-addresses';
import { DEFAULT_NAMESPACE_FORMAT, parseNamespaceFormat } from '@fairway/identity/namespace-name';
import { DEFAULT_ROLES } from '@fairway/identity/settings';
import { DEFAULT_BACKUP_KEEP, DEFAULT_BACKUP_SCHEDULE } from '@fairway/service/backup/backup-schedule';
import { parseTracingEndpoint } from '@fairway/service/tracing/tracing-settings';
import { z } from 'zod';
import { parseWebhookUrl } from '../serve/webhook-url.ts';
import { parseAdvertiseAddress, parseSubjectAltName } from '../up/advertise-address.ts';
import { checkedSchedule } from '../up/backup-schedule-option.ts';
import { parseRoleEntry, parseSingleSignOn } from '../up/chosen-keystone.ts';
import { collectIPv4Ranges, parseUserRange } from '../up/isolation-options.ts';
import { parseIPAddress, parseListenAddress } from '../up/listen-address.ts';
import { AuditSection } from './audit-section.ts';
import { LimitsSection } from './limits-section.ts';
import { LogSection } from './log-section.ts';
import { duration, listOf, setting, text, wholeNumber, written } from './setting.ts';

const A_FILE = 'a file';
const A_NAME = 'a name';
const A_SECOND_MS = 1_000;
const FROM_A_SECOND = 'a duration of at least 1s, such as 90s or 10m';

function projectLimit(resource: 'clusters' | 'nodes' | 'cores', what: string) {
  return setting(wholeNumber(0), {
    description: `${what}, where no [ProjectQuota](quotas.md) of it says`,
    allowed: 'a whole number of at least 0',
    otherwise: 'unlimited',
    option: `projectQuota.${resource}`,
  });
}

/**
 * fairway.yaml: every setting of `fairway up` and `fairway serve`. To add one, add its key here; a flag is optional, the environment variable,
 * the reference and the checks follow from the key.
 */
export const Configuration = z.strictObject({
  home: setting(text(), {
    description: 'folder for all state of this machine',
    allowed: 'a folder',
    default: './.fairway',
    option: 'home',
    path: 'new',
  }),
  listen: setting(written(parseListenAddress), {
    description: 'address where the API (`up`) or the gateway of tenants (`serve`) listens; port 0 takes a free one',
    allowed: 'HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:8443',
    default: '127.0.0.1:8443',
    option: 'listen',
  }),
  advertiseAddress: setting(written(parseAdvertiseAddress), {
    description: 'by which clients reach that address: in kubeconfigs, and in the certificate',
    allowed: 'HOST or HOST:PORT, such as fairway.example.com or 192.0.2.7:443',
    otherwise:
      'the address of `listen`; for 0.0.0.0 and [::] the first of `tls.subjectAltNames`, else an address of this machine',
    option: 'advertiseAddress',
  }),
  tls: z
    .strictObject({
      certFile: setting(text(), {
        description:
          'own certificate, with its intermediates, in PEM, for clients that ask for its names (SNI); read again within a minute when it is replaced',
        allowed: A_FILE,
        otherwise: "one of Fairway's own authority",
        option: 'tlsCertFile',
        path: 'file',
      }),
      keyFile: setting(text(), {
        description: 'private key of `tls.certFile`, in PEM',
        allowed: A_FILE,
        option: 'tlsPrivateKeyFile',
        path: 'file',
      }),
      caFile: setting(text(), {
        description:
          'authority of `tls.certFile`, in PEM: for kubeconfigs, and for kube-apiserver where it calls the webhook by its names',
        allowed: A_FILE,
        otherwise: 'the certificate itself if it is its own authority, else what clients trust anyway',
        option: 'tlsCaFile',
        path: 'file',
      }),
      subjectAltNames: setting(listOf(parseSubjectAltName), {
        description: "further host names and addresses in a certificate of Fairway's own authority",
        allowed: 'a list of host names and IP addresses',
        default: [],
        option: 'tlsSan',
      }),
    })
    .optional(),
  management: z
    .strictObject({
      kubeconfig: setting(text(), {
        description: 'kubeconfig of the management cluster',
        allowed: A_FILE,
        otherwise: "KUBECONFIG, else the pod's own cluster, else `~/.kube/config`",
        option: 'kubeconfig',
        only: 'serve',
        path: 'file',
      }),
      context: setting(text(), {
        description: 'context of that kubeconfig',
        allowed: A_NAME,
        otherwise: 'its current context',
        option: 'context',
        only: 'serve',
      }),
    })
    .optional(),
  gateway: z
    .strictObject({
      enabled: setting(z.boolean(), {
        description: 'whether tenants are served here; `false` runs the controllers alone',
        allowed: 'true or false',
        default: true,
        option: 'gateway',
        only: 'serve',
      }),
      webhookURL: setting(written(parseWebhookUrl), {
        description:
          'by which the API server reaches the gateways: a Service, as https://NAME.NAMESPACE.svc:PORT, or a load balancer',
        allowed: 'https://HOST or https://HOST:PORT, without a path',
        otherwise: 'where this one listens',
        option: 'webhookUrl',
        only: 'serve',
      }),
    })
    .optional(),
  cloud: z
    .strictObject({
      name: setting(text(), {
        description: 'entry of clouds.yaml for the clusters of namespace `default`',
        allowed: A_NAME,
        otherwise: 'a simulated cloud',
        option: 'cloud',
      }),
      file: setting(text(), {
        description: 'the clouds.yaml',
        allowed: A_FILE,
        otherwise: 'OS_CLIENT_CONFIG_FILE, else where OpenStack clients look',
        option: 'cloudsFile',
        path: 'file',
      }),
      checkInterval: setting(duration(A_SECOND_MS), {
        description:
          "how often each project's servers are listed while no change is expected; five times as rarely while all of its nodes are Ready",
        allowed: FROM_A_SECOND,
        default: '1m',
        option: 'cloudCheck',
      }),
      credentialCheckInterval: setting(duration(A_SECOND_MS), {
        description: 'how often each tenant credential is checked with Keystone',
        allowed: FROM_A_SECOND,
        default: '1m',
        option: 'credentialCheck',
      }),
      orphans: setting(z.enum(ORPHAN_POLICIES), {
        description:
          'what becomes of resources in the cloud that were made for a cluster, a pool or a machine that Fairway has deleted since: deleted, or reported alone',
        allowed: ORPHAN_POLICIES.join(' or '),
        default: 'Delete',
        option: 'orphans',
      }),
    })
    .optional(),
  keystone: z
    .strictObject({
      cloud: setting(text(), {
        description: 'entry of clouds.yaml by whose user tokens of [users of Keystone](keystone.md) are validated',
        allowed: A_NAME,
        otherwise: 'users of Keystone are not let in',
        option: 'keystone',
      }),
      namespaceFormat: setting(written(parseNamespaceFormat), {
        description: "names of projects' namespaces: `%i` is the id, `%n` the name, `%d` the name of the domain",
        allowed: 'a text with %i, such as %n-%i',
        default: DEFAULT_NAMESPACE_FORMAT,
        option: 'keystoneSettings.namespaceFormat',
      }),
      roles: setting(listOf(parseRoleEntry), {
        description: "what each role of Keystone gives in its project's namespace: a ClusterRole",
        allowed: 'a list of ROLE=CLUSTERROLE, such as member=fairway-member',
        default: Object.entries(DEFAULT_ROLES).map(([role, clusterRole]) => `${role}=${clusterRole}`),
        option: 'keystoneSettings.roles',
      }),
      ignoredProjects: setting(
        listOf((id) => id),
        {
          description: 'ids of projects that get no namespace',
          allowed: 'a list of ids',
          default: [],
          option: 'keystoneSettings.ignoredProjects',
        },
      ),
      singleSignOn: setting(listOf(parseSingleSignOn), {
        description: "ways to sign in to the [console](console.md#single-sign-on) by Keystone's single sign-on",
        allowed: 'a list of NAME=URL, such as Company=https://keystone.example.com/v3/auth/OS-FEDERATION/websso/openid',
        default: [],
        option: 'keystoneSettings.singleSignOn',
      }),
      policyFile: setting(text(), {
        description: "further rights of users of Keystone: JSON in k8s-keystone-auth's format",
        allowed: A_FILE,
        option: 'keystoneSettings.policyFile',
        only: 'up',
        path: 'file',
      }),
    })
    .optional(),
  nodes: z
    .strictObject({
      defaultImage: setting(text(), {
        description: 'image of nodes whose pool names none, by name or id',
        allowed: A_NAME,
        option: 'defaultImage',
      }),
      settingsFile: setting(text(), {
        description: 'YAML with settings for all nodes: mirrors, proxy, CAs ([nodes](nodes.md))',
        allowed: A_FILE,
        option: 'nodeSettings',
        path: 'file',
      }),
    })
    .optional(),
  controlPlanes: z
    .strictObject({
      runtime: setting(z.enum(['process', 'simulated']), {
        description: 'how control planes run: real ones as local processes, or simulated',
        allowed: 'process or simulated',
        otherwise: '`process` if the programs are in KUBEBUILDER_ASSETS, fetched or on PATH',
        option: 'controlPlane',
      }),
      address: setting(written(parseIPAddress), {
        description: 'address of this machine where they listen, and where nodes reach them',
        allowed: 'an address of one host, such as 10.0.0.1',
        default: '127.0.0.1',
        option: 'controlPlaneAddress',
      }),
      allow: setting(
        listOf((range) => collectIPv4Ranges(range, [])),
        {
          description: 'IPv4 addresses that reach all API servers, whatever `spec.apiServer.allowedCIDRs` says',
          allowed: 'a list of ranges such as 192.0.2.0/24',
          default: [],
          option: 'controlPlaneAllow',
        },
      ),
      users: setting(written(parseUserRange), {
        description: 'user ids for those that run as processes, one per cluster, if Fairway runs as root',
        allowed: 'FIRST-LAST, such as 1900000000-1900009999',
        default: `${DEFAULT_USERS.first}-${DEFAULT_USERS.last}`,
        option: 'controlPlaneUsers',
      }),
      egressAllow: setting(listOf(parseEgressTarget), {
        description: "what their API servers may connect to in addition to their nodes' kubelets and the Internet",
        allowed: 'a list of ranges such as 192.0.2.0/24 or 192.0.2.7/32:443',
        default: [],
        option: 'egressAllow',
      }),
      egressDeny: setting(
        listOf((range) => cidrSet([range])),
        {
          description: 'what they may never connect to',
          allowed: 'a list of ranges such as 192.0.2.0/24',
          default: [],
          option: 'egressDeny',
        },
      ),
      snapshotFolder: setting(text(), {
        description: "folder for snapshots of clusters' databases, such as a mount of other storage",
        allowed: 'a folder',
        otherwise: 'in the home',
        option: 'snapshots',
        path: 'new',
      }),
      offHostFile: setting(text(), {
        description:
          'YAML with the object store where snapshots and backups are copied to, encrypted ([disaster](disaster.md))',
        allowed: A_FILE,
        option: 'offHost',
        path: 'file',
      }),
    })
    .optional(),
  metrics: z
    .strictObject({
      listen: setting(written(parseListenAddress), {
        description:
          'address where [metrics](metrics.md) are also served, over HTTP and to whoever reaches it: for `gateway.enabled: false`',
        allowed: 'HOST:PORT, such as 127.0.0.1:9090',
        option: 'metricsListen',
        only: 'serve',
      }),
    })
    .optional(),
  tracing: z
    .strictObject({
      endpoint: setting(written(parseTracingEndpoint), {
        description: 'OTLP receiver over HTTP that [traces](monitoring.md#traces) are sent to, without `/v1/traces`',
        allowed: 'a URL such as http://127.0.0.1:4318',
        otherwise: 'OTEL_EXPORTER_OTLP_ENDPOINT; without it nothing is recorded',
        option: 'tracing.endpoint',
      }),
      sampleRatio: setting(z.number().min(0).max(1), {
        description: 'share of requests and reconciles whose traces are recorded',
        allowed: 'a number from 0 to 1',
        otherwise: 'OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG; all of them without these',
        option: 'tracing.sampleRatio',
      }),
    })
    .optional(),
  externalAutoscaler: z
    .strictObject({
      listen: setting(written(parseListenAddress), {
        description:
          "address where clusters' own cluster-autoscalers are served ([external autoscaler](external-autoscaler.md))",
        allowed: 'HOST:PORT, such as 0.0.0.0:8447',
        otherwise: 'nowhere',
        option: 'externalAutoscalerListen',
        only: 'up',
      }),
    })
    .optional(),
  nodePools: z
    .strictObject({
      allowInCluster: setting(z.boolean(), {
        description:
          "whether tenants' clusters have [their NodePools within them](in-cluster-pools.md); `false` holds for all plans",
        allowed: 'true or false',
        default: true,
        option: 'inClusterPools',
      }),
    })
    .optional(),
  console: z
    .strictObject({
      enabled: setting(z.boolean(), {
        description: 'whether the [console](console.md) is served at `/console/` of the API or of the gateway',
        allowed: 'true or false',
        default: true,
        option: 'console',
      }),
    })
    .optional(),
  magnum: z
    .strictObject({
      listen: setting(written(parseListenAddress), {
        description: "address where [Magnum's API](magnum.md) is served to users of Keystone",
        allowed: 'HOST:PORT, such as 0.0.0.0:9511',
        otherwise: 'nowhere',
        option: 'magnumListen',
      }),
    })
    .optional(),
  backup: z
    .strictObject({
      schedule: setting(written(checkedSchedule), {
        description:
          "when Fairway's own objects are backed up to the store of `controlPlanes.offHostFile`, in UTC ([backup](backup.md))",
        allowed: 'five fields of cron, such as 0 3 * * *, or never',
        otherwise: `\`${DEFAULT_BACKUP_SCHEDULE}\` if there is such a store`,
        option: 'backupSchedule',
        only: 'up',
      }),
      keep: setting(wholeNumber(1), {
        description: 'how many backups the store keeps',
        allowed: 'a whole number of at least 1',
        default: DEFAULT_BACKUP_KEEP,
        option: 'backupKeep',
        only: 'up',
      }),
    })
    .optional(),
  usage: z
    .strictObject({
      retentionDays: setting(wholeNumber(40), {
        description: 'how long records of [usage](usage.md) outlive their clusters, and what they say',
        allowed: 'a whole number of at least 40',
        default: DEFAULT_RETENTION_DAYS,
        option: 'usageRetentionDays',
      }),
    })
    .optional(),
  projectQuota: z
    .strictObject({
      clusters: projectLimit('clusters', 'clusters of a namespace'),
      nodes: projectLimit('nodes', 'nodes that the pools of all its clusters ask for'),
      cores: projectLimit('cores', 'cores of these nodes'),
    })
    .optional(),
  audit: AuditSection.optional(),
  log: LogSection.optional(),
  simulator: z
    .strictObject({
      latency: setting(z.enum(['none', 'realistic']), {
        description: 'latency of the simulated cloud',
        allowed: 'none or realistic',
        default: 'none',
        option: 'simLatency',
        only: 'up',
      }),
    })
    .optional(),
  limits: LimitsSection.optional(),
});
