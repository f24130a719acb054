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
import { parseDocumentationUrl } from '../up/documentation-url.ts';
import { collectIPv4Ranges, parseUserRange } from '../up/isolation-options.ts';
import { parseRoleEntry, parseSingleSignOn } from '../up/keystone-options.ts';
import { parseIPAddress, parseListenAddress } from '../up/listen-address.ts';
import { AuditSection } from './audit-section.ts';
import { LimitsSection } from './limits-section.ts';
import { LogSection } from './log-section.ts';
import { duration, listOf, parsedText, setting, text, wholeNumber } from './setting.ts';

const FILE_VALUE = 'a file';
const NAME_VALUE = 'a name';
const SECOND_MS = 1_000;
const MIN_ONE_SECOND = 'a duration of at least 1s, such as 90s or 10m';

function projectLimit(resource: 'clusters' | 'nodes' | 'cores', what: string) {
  return setting(wholeNumber(0), {
    description: `${what}, for namespaces without a [ProjectQuota](quotas.md)`,
    allowed: 'a whole number of at least 0',
    defaultText: 'unlimited',
    option: `projectQuota.${resource}`,
  });
}

/**
 * fairway.yaml: every setting of `fairway up` and `fairway serve`. To add one, add its key here. A flag is optional;
 * the environment variable, reference and checks are derived from the key.
 */
export const Configuration = z.strictObject({
  home: setting(text(), {
    description: "folder for all of Fairway's state on this machine",
    allowed: 'a folder',
    default: './.fairway',
    option: 'home',
    path: 'new',
  }),
  listen: setting(parsedText(parseListenAddress), {
    description:
      'address on which the API (`up`) or the gateway of tenants (`serve`) listens; port 0 chooses a free port',
    allowed: 'HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:8443',
    default: '127.0.0.1:8443',
    option: 'listen',
  }),
  advertiseAddress: setting(parsedText(parseAdvertiseAddress), {
    description: 'address at which clients reach `listen`; used in kubeconfigs and in the certificate',
    allowed: 'HOST or HOST:PORT, such as fairway.example.com or 192.0.2.7:443',
    defaultText:
      'the address of `listen`; for 0.0.0.0 and [::], the first of `tls.subjectAltNames`, else an address of this machine',
    option: 'advertiseAddress',
  }),
  tls: z
    .strictObject({
      certFile: setting(text(), {
        description:
          'custom certificate with its intermediates, in PEM, served to clients that request its names (SNI); reloaded within a minute when the file is replaced',
        allowed: FILE_VALUE,
        defaultText: "a certificate of Fairway's own CA",
        option: 'tlsCertFile',
        path: 'file',
      }),
      keyFile: setting(text(), {
        description: 'private key of `tls.certFile`, in PEM',
        allowed: FILE_VALUE,
        option: 'tlsPrivateKeyFile',
        path: 'file',
      }),
      caFile: setting(text(), {
        description:
          'CA of `tls.certFile`, in PEM: for kubeconfigs, and for kube-apiserver when it calls the webhook by the names of the certificate',
        allowed: FILE_VALUE,
        defaultText: 'the certificate itself if it is self-signed, else the CAs that clients already trust',
        option: 'tlsCaFile',
        path: 'file',
      }),
      subjectAltNames: setting(listOf(parseSubjectAltName), {
        description: "additional host names and IP addresses in a certificate of Fairway's own CA",
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
        allowed: FILE_VALUE,
        defaultText: "KUBECONFIG, else the pod's own cluster, else `~/.kube/config`",
        option: 'kubeconfig',
        onlyCommand: 'serve',
        path: 'file',
      }),
      context: setting(text(), {
        description: 'context in `management.kubeconfig`',
        allowed: NAME_VALUE,
        defaultText: 'the current context of the kubeconfig',
        option: 'context',
        onlyCommand: 'serve',
      }),
    })
    .optional(),
  gateway: z
    .strictObject({
      enabled: setting(z.boolean(), {
        description: 'whether this process serves tenants; `false` runs only the controllers',
        allowed: 'true or false',
        default: true,
        option: 'gateway',
        onlyCommand: 'serve',
      }),
      webhookURL: setting(parsedText(parseWebhookUrl), {
        description:
          'URL at which the API server reaches the gateways: a Service, as https://NAME.NAMESPACE.svc:PORT, or a load balancer',
        allowed: 'https://HOST or https://HOST:PORT, without a path',
        defaultText: 'the listen address',
        option: 'webhookUrl',
        onlyCommand: 'serve',
      }),
    })
    .optional(),
  cloud: z
    .strictObject({
      name: setting(text(), {
        description: 'entry in clouds.yaml for the clusters of the namespace `default`',
        allowed: NAME_VALUE,
        defaultText: 'a simulated cloud',
        option: 'cloud',
      }),
      file: setting(text(), {
        description: 'path of clouds.yaml',
        allowed: FILE_VALUE,
        defaultText: 'OS_CLIENT_CONFIG_FILE, else the standard paths of OpenStack clients',
        option: 'cloudsFile',
        path: 'file',
      }),
      checkInterval: setting(duration(SECOND_MS), {
        description:
          "interval at which each project's servers are listed while no change is expected; five times as long while all of the project's nodes are Ready",
        allowed: MIN_ONE_SECOND,
        default: '1m',
        option: 'cloudCheck',
      }),
      credentialCheckInterval: setting(duration(SECOND_MS), {
        description: 'interval at which each tenant credential is checked with Keystone',
        allowed: MIN_ONE_SECOND,
        default: '1m',
        option: 'credentialCheck',
      }),
      orphans: setting(z.enum(ORPHAN_POLICIES), {
        description:
          'what to do with remaining cloud resources of clusters, pools and machines that Fairway has already deleted: delete them, or only report them',
        allowed: ORPHAN_POLICIES.join(' or '),
        default: 'Delete',
        option: 'orphans',
      }),
    })
    .optional(),
  keystone: z
    .strictObject({
      cloud: setting(text(), {
        description: 'entry in clouds.yaml whose user validates the tokens of [Keystone users](keystone.md)',
        allowed: NAME_VALUE,
        defaultText: 'none; Keystone users cannot sign in',
        option: 'keystone',
      }),
      namespaceFormat: setting(parsedText(parseNamespaceFormat), {
        description:
          "pattern for the names of projects' namespaces: `%i` is the ID of the project, `%n` its name, and `%d` the name of its domain",
        allowed: 'a text with %i, such as %n-%i',
        default: DEFAULT_NAMESPACE_FORMAT,
        option: 'keystoneSettings.namespaceFormat',
      }),
      roles: setting(listOf(parseRoleEntry), {
        description: 'ClusterRole that each Keystone role grants in the namespace of the project',
        allowed: 'a list of ROLE=CLUSTERROLE, such as member=fairway-member',
        default: Object.entries(DEFAULT_ROLES).map(([role, clusterRole]) => `${role}=${clusterRole}`),
        option: 'keystoneSettings.roles',
      }),
      ignoredProjects: setting(
        listOf((id) => id),
        {
          description: 'IDs of projects for which no namespace is created',
          allowed: 'a list of IDs',
          default: [],
          option: 'keystoneSettings.ignoredProjects',
        },
      ),
      singleSignOn: setting(listOf(parseSingleSignOn), {
        description: 'single sign-on buttons of the [console](console.md#single-sign-on), through Keystone',
        allowed: 'a list of NAME=URL, such as Company=https://keystone.example.com/v3/auth/OS-FEDERATION/websso/openid',
        default: [],
        option: 'keystoneSettings.singleSignOn',
      }),
      policyFile: setting(text(), {
        description: "additional rights of Keystone users: JSON in k8s-keystone-auth's format",
        allowed: FILE_VALUE,
        option: 'keystoneSettings.policyFile',
        onlyCommand: 'up',
        path: 'file',
      }),
    })
    .optional(),
  nodes: z
    .strictObject({
      defaultImage: setting(text(), {
        description: 'image of the nodes, by name or ID, for pools that do not set an image',
        allowed: NAME_VALUE,
        option: 'defaultImage',
      }),
      settingsFile: setting(text(), {
        description: 'YAML file with settings for all nodes: mirrors, proxy, CAs ([nodes](nodes.md))',
        allowed: FILE_VALUE,
        option: 'nodeSettings',
        path: 'file',
      }),
    })
    .optional(),
  controlPlanes: z
    .strictObject({
      runtime: setting(z.enum(['process', 'simulated']), {
        description: 'how control planes run: as local processes, or simulated',
        allowed: 'process or simulated',
        defaultText:
          '`process` if the binaries are in KUBEBUILDER_ASSETS, have been fetched or are on PATH; else `simulated`',
        option: 'controlPlane',
      }),
      address: setting(parsedText(parseIPAddress), {
        description: 'address of this machine on which API servers listen and at which nodes reach them',
        allowed: 'the address of one host, such as 10.0.0.1',
        default: '127.0.0.1',
        option: 'controlPlaneAddress',
      }),
      allow: setting(
        listOf((range) => collectIPv4Ranges(range, [])),
        {
          description: 'IPv4 ranges that can reach all API servers regardless of `spec.apiServer.allowedCIDRs`',
          allowed: 'a list of ranges such as 192.0.2.0/24',
          default: [],
          option: 'controlPlaneAllow',
        },
      ),
      users: setting(parsedText(parseUserRange), {
        description: 'user IDs for process-based control planes, one per cluster, if Fairway runs as root',
        allowed: 'FIRST-LAST, such as 1900000000-1900009999',
        default: `${DEFAULT_USERS.first}-${DEFAULT_USERS.last}`,
        option: 'controlPlaneUsers',
      }),
      egressAllow: setting(listOf(parseEgressTarget), {
        description:
          'destinations that API servers can connect to in addition to the kubelets of their nodes and the Internet',
        allowed: 'a list of ranges such as 192.0.2.0/24 or 192.0.2.7/32:443',
        default: [],
        option: 'egressAllow',
      }),
      egressDeny: setting(
        listOf((range) => cidrSet([range])),
        {
          description: 'destinations that API servers can never connect to',
          allowed: 'a list of ranges such as 192.0.2.0/24',
          default: [],
          option: 'egressDeny',
        },
      ),
      snapshotFolder: setting(text(), {
        description: "folder for snapshots of clusters' databases, such as a mount point of other storage",
        allowed: 'a folder',
        defaultText: 'a folder in the home folder',
        option: 'snapshots',
        path: 'new',
      }),
      offHostFile: setting(text(), {
        description:
          'YAML file that describes the object store to which snapshots and backups are copied, encrypted ([disaster](disaster.md))',
        allowed: FILE_VALUE,
        option: 'offHost',
        path: 'file',
      }),
    })
    .optional(),
  metrics: z
    .strictObject({
      listen: setting(parsedText(parseListenAddress), {
        description:
          'address on which [metrics](metrics.md) are also served over HTTP, without authentication; with `gateway.enabled: false`, this is the only way to serve metrics',
        allowed: 'HOST:PORT, such as 127.0.0.1:9090',
        option: 'metricsListen',
        onlyCommand: 'serve',
      }),
    })
    .optional(),
  tracing: z
    .strictObject({
      endpoint: setting(parsedText(parseTracingEndpoint), {
        description: 'URL of an OTLP/HTTP receiver for [traces](monitoring.md#traces), without `/v1/traces`',
        allowed: 'a URL such as http://127.0.0.1:4318',
        defaultText: 'OTEL_EXPORTER_OTLP_ENDPOINT; if that is not set, no traces are recorded',
        option: 'tracing.endpoint',
      }),
      sampleRatio: setting(z.number().min(0).max(1), {
        description: 'fraction of requests and reconciles whose traces are recorded',
        allowed: 'a number from 0 to 1',
        defaultText: 'OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG; else all traces are recorded',
        option: 'tracing.sampleRatio',
      }),
    })
    .optional(),
  externalAutoscaler: z
    .strictObject({
      listen: setting(parsedText(parseListenAddress), {
        description:
          "address on which clusters' own cluster-autoscalers are served ([external autoscaler](external-autoscaler.md))",
        allowed: 'HOST:PORT, such as 0.0.0.0:8447',
        defaultText: 'not served',
        option: 'externalAutoscalerListen',
        onlyCommand: 'up',
      }),
    })
    .optional(),
  nodePools: z
    .strictObject({
      allowInCluster: setting(z.boolean(), {
        description:
          'whether tenants can manage NodePools [within their clusters](in-cluster-pools.md); `false` disables this for all plans',
        allowed: 'true or false',
        default: true,
        option: 'inClusterPools',
      }),
    })
    .optional(),
  console: z
    .strictObject({
      enabled: setting(z.boolean(), {
        description: 'whether the API or the gateway serves the [console](console.md) at `/console/`',
        allowed: 'true or false',
        default: true,
        option: 'console',
      }),
      documentation: setting(parsedText(parseDocumentationUrl), {
        description: 'URL to which the [console](console.md#documentation-links) links for its documentation',
        allowed: 'a URL with {page}, such as https://docs.example.com/{page}.html',
        defaultText: 'no links',
        option: 'consoleDocumentation',
      }),
    })
    .optional(),
  magnum: z
    .strictObject({
      listen: setting(parsedText(parseListenAddress), {
        description: "address on which [Magnum's API](magnum.md) is served to Keystone users",
        allowed: 'HOST:PORT, such as 0.0.0.0:9511',
        defaultText: 'not served',
        option: 'magnumListen',
      }),
    })
    .optional(),
  backup: z
    .strictObject({
      schedule: setting(parsedText(checkedSchedule), {
        description:
          "schedule for backups of Fairway's own objects to the store in `controlPlanes.offHostFile`, in UTC ([backup](backup.md))",
        allowed: 'a cron expression with five fields, such as 0 3 * * *, or never',
        defaultText: `\`${DEFAULT_BACKUP_SCHEDULE}\` with such a store`,
        option: 'backupSchedule',
        onlyCommand: 'up',
      }),
      keep: setting(wholeNumber(1), {
        description: 'number of backups to keep in the store',
        allowed: 'a whole number of at least 1',
        default: DEFAULT_BACKUP_KEEP,
        option: 'backupKeep',
        onlyCommand: 'up',
      }),
    })
    .optional(),
  usage: z
    .strictObject({
      retentionDays: setting(wholeNumber(40), {
        description:
          'number of days for which records of [usage](usage.md) are kept after their clusters have been deleted',
        allowed: 'a whole number of at least 40',
        default: DEFAULT_RETENTION_DAYS,
        option: 'usageRetentionDays',
      }),
    })
    .optional(),
  projectQuota: z
    .strictObject({
      clusters: projectLimit('clusters', 'maximum number of clusters per namespace'),
      nodes: projectLimit('nodes', 'maximum number of nodes in the pools of all clusters of a namespace'),
      cores: projectLimit('cores', 'maximum number of cores of the nodes of a namespace'),
    })
    .optional(),
  audit: AuditSection.optional(),
  log: LogSection.optional(),
  simulator: z
    .strictObject({
      latency: setting(z.enum(['none', 'realistic']), {
        description: 'latency profile of the simulated cloud',
        allowed: 'none or realistic',
        default: 'none',
        option: 'simLatency',
        onlyCommand: 'up',
      }),
    })
    .optional(),
  limits: LimitsSection.optional(),
});
