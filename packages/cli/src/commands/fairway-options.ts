import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { ORPHAN_POLICIES, type OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { DEFAULT_USERS, type UserRange } from '@fairway/control-plane/process/cluster-users';
import { type LevelsByName, LOG_LEVELS, LOGGER_NAMES, type LogLevel } from '@fairway/service/log-levels';
import type { ListenAddress } from '@fairway/service/serve/listen-address';
import type { AdvertisedAddress } from '@fairway/service/serve/server-address';
import type { ConfiguredTracing } from '@fairway/service/tracing/tracing-settings';
import type { ControlPlaneKind } from '@fairway/service/up/choose-control-plane';
import { type Command, Option } from 'commander';
import { configOption, durationBetween } from '../command/options.ts';
import { parseAdvertiseAddress, parseSubjectAltNames } from '../up/advertise-address.ts';
import { collectEgressTargets, collectIPv4Ranges, collectRanges, parseUserRange } from '../up/isolation-options.ts';
import type { KeystoneOptions } from '../up/keystone-options.ts';
import { parseIPAddress, parseListenAddress } from '../up/listen-address.ts';
import { collectLogLevels } from '../up/log-level-options.ts';
import { type AuditOptions, addAuditOptions } from './audit-options.ts';

/** Options shared by `up` and `serve`. */
export interface FairwayCommandOptions extends KeystoneOptions, AuditOptions {
  readonly config?: string;
  readonly home?: string;
  readonly listen: ListenAddress;
  readonly advertiseAddress?: AdvertisedAddress;
  readonly tlsSan: readonly string[];
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsCaFile?: string;
  readonly cloud?: string;
  /** The clouds.yaml to use instead of searching for one. */
  readonly cloudsFile?: string;
  readonly magnumListen?: ListenAddress;
  readonly defaultImage?: string;
  readonly controlPlane?: ControlPlaneKind;
  readonly controlPlaneAddress: string;
  readonly controlPlaneAllow: readonly string[];
  readonly controlPlaneUsers: UserRange;
  readonly egressAllow: readonly string[];
  readonly egressDeny: readonly string[];
  readonly snapshots?: string;
  readonly offHost?: string;
  readonly nodeSettings?: string;
  /** Milliseconds. */
  readonly cloudCheck: number;
  /** Milliseconds. */
  readonly credentialCheck: number;
  readonly orphans: OrphanPolicy;
  readonly console: boolean;
  /** A URL with `{page}`; can be set only in fairway.yaml or the environment. */
  readonly consoleDocumentation?: string;
  readonly inClusterPools: boolean;
  /** Can be set only in fairway.yaml. */
  readonly usageRetentionDays?: number;
  /** Can be set only in fairway.yaml. */
  readonly projectQuota?: QuotaDefaults;
  /** Can be set only in fairway.yaml; see ConfiguredTracing. */
  readonly tracing?: ConfiguredTracing;
  readonly logLevel: LogLevel;
  readonly logLevels?: LevelsByName;
  /** Limits on the API or the gateway that differ from the defaults. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits>;
}

const DEFAULT_LISTEN = '127.0.0.1:8443';

/** Adds options for the addresses where Fairway listens. */
export function addListenOptions(command: Command, what: string): Command {
  return command
    .addOption(configOption())
    .addOption(
      new Option('--listen <host:port>', `address on which ${what} listens; port 0 chooses a free port`)
        .argParser(parseListenAddress)
        .default(parseListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .addOption(
      new Option(
        '--advertise-address <host[:port]>',
        'address at which clients reach the listener; default: the listen address or, if that is a wildcard address, the first name of --tls-san, else an address of this machine',
      ).argParser(parseAdvertiseAddress),
    )
    .addOption(
      new Option('--tls-san <names>', "additional host names and IP addresses in the server's certificate")
        .argParser(parseSubjectAltNames)
        .default([], 'none'),
    )
    .option(
      '--tls-cert-file <file>',
      'custom certificate with its intermediates, in PEM; reloaded when the file is replaced',
    )
    .option('--tls-private-key-file <file>', 'private key of --tls-cert-file, in PEM')
    .option('--tls-ca-file <file>', 'CA of --tls-cert-file, in PEM; not needed if clients already trust the CA');
}

/** Adds the options of all components except the API. */
export function addFairwayOptions(command: Command): Command {
  return addAuditOptions(addComponentOptions(command))
    .addOption(
      new Option('--log-level <level>', 'log level; logs are JSON lines on stderr').choices(LOG_LEVELS).default('warn'),
    )
    .addOption(
      new Option(
        '--log-levels <name=level>',
        `log levels of components, such as openstack=debug,controllers/machine=info; repeatable; names: ${LOGGER_NAMES.join(', ')}`,
      ).argParser(collectLogLevels),
    );
}

function addComponentOptions(command: Command): Command {
  return command
    .option('--cloud <name>', 'use this cloud in clouds.yaml instead of a simulated one')
    .option(
      '--keystone <name>',
      'authenticate Keystone users; the user of this entry in clouds.yaml validates their tokens (docs/operators/keystone.md)',
    )
    .addOption(
      new Option(
        '--magnum-listen <host:port>',
        "address on which Magnum's API is served to Keystone users; default: disabled",
      ).argParser(parseListenAddress),
    )
    .option('--default-image <name>', 'default image of nodes, by name or ID')
    .addOption(
      new Option(
        '--control-plane <runtime>',
        'run control planes as local processes, or simulate them; default: process if the binaries are in KUBEBUILDER_ASSETS, have been fetched (fairway releases fetch) or are on PATH',
      ).choices(['process', 'simulated']),
    )
    .addOption(
      new Option(
        '--control-plane-address <address>',
        'address of this machine on which process-based API servers listen and at which nodes reach them',
      )
        .argParser(parseIPAddress)
        .default('127.0.0.1'),
    )
    .addOption(
      new Option(
        '--control-plane-allow <range>',
        'IPv4 ranges that can reach the API servers of all clusters regardless of spec.apiServer.allowedCIDRs, such as other hosts of the operator; repeatable',
      )
        .argParser(collectIPv4Ranges)
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--control-plane-users <first-last>',
        'range of user IDs on this machine for process-based control planes, one per cluster, if Fairway runs as root',
      )
        .argParser(parseUserRange)
        .default(DEFAULT_USERS, `${DEFAULT_USERS.first}-${DEFAULT_USERS.last}`),
    )
    .addOption(
      new Option(
        '--egress-allow <range>',
        'destinations that process-based API servers can connect to in addition to the kubelets of their nodes and the Internet, such as 192.0.2.0/24 or 192.0.2.7/32:443; repeatable',
      )
        .argParser(collectEgressTargets)
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--egress-deny <range>',
        'destinations that process-based API servers can never connect to, such as 192.0.2.0/24; repeatable',
      )
        .argParser(collectRanges)
        .default([], 'none'),
    )
    .option(
      '--snapshots <folder>',
      "folder for snapshots of clusters' databases, such as a mount point of other storage; default: a folder in the home folder",
    )
    .option(
      '--off-host <file>',
      "YAML file that describes the object store to which snapshots of clusters' databases and backups are copied, encrypted (docs/operators/disaster.md)",
    )
    .option(
      '--node-settings <file>',
      'YAML file with settings for all nodes: package and image mirrors, proxy, CAs (docs/operators/nodes.md)',
    )
    .addOption(
      new Option(
        '--cloud-check <duration>',
        "interval at which each project's servers are listed while no change is expected; five times as long while all of the project's nodes are Ready",
      )
        .argParser(durationBetween('1s'))
        .default(60_000, '1m'),
    )
    .addOption(
      new Option('--credential-check <duration>', 'interval at which each tenant credential is checked with Keystone')
        .argParser(durationBetween('1s'))
        .default(60_000, '1m'),
    )
    .addOption(
      new Option(
        '--orphans <policy>',
        'what to do with remaining cloud resources of clusters, pools and machines that Fairway has already deleted (docs/operators/orphans.md)',
      )
        .choices(ORPHAN_POLICIES)
        .default('Delete'),
    )
    .option('--no-console', 'disable the web console (docs/operators/console.md)')
    .option(
      '--no-in-cluster-pools',
      "disable NodePools within tenants' clusters, regardless of what their plans allow (docs/operators/in-cluster-pools.md)",
    );
}
