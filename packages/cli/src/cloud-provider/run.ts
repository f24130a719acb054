import { isIPv6 } from 'node:net';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { isApiError } from '@fairway/kube/object/api-error';
import { cloudOptions } from '@fairway/service/cloud-provider/cloud-options';
import {
  type LeaderElection,
  type RunningCloudProvider,
  runCloudProvider,
} from '@fairway/service/cloud-provider/cloud-provider';
import { CommandError, usageError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { type LevelsByName, type LogLevel, LogLevels } from '@fairway/service/log-levels';
import { createLogger } from '@fairway/service/logger';
import type { ListenAddress } from '@fairway/service/serve/listen-address';
import { type ManagementConnection, managementClient, managementConnection } from '../client/management-connection.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { abortableStart } from '../up/abortable-start.ts';

interface CloudProviderCommandOptions extends GlobalOptions {
  readonly cloud?: string;
  readonly cloudConfig?: string;
  readonly clusterName: string;
  readonly adoptClusterName?: string;
  readonly clusterCidr?: string;
  readonly controllers: readonly string[];
  readonly leaderElect: boolean;
  /** Milliseconds. */
  readonly leaderElectLeaseDuration: number;
  /** Milliseconds. */
  readonly leaderElectRenewDeadline: number;
  /** Milliseconds. */
  readonly leaderElectRetryPeriod: number;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly metricsListen?: ListenAddress;
  readonly logLevel: LogLevel;
  readonly logLevels?: LevelsByName;
}

/**
 * Runs the cloud provider until the first SIGINT or SIGTERM, then stops it gracefully. Rejects when the Lease is lost.
 */
export async function runCloudProviderCommand(
  context: CliContext,
  options: CloudProviderCommandOptions,
): Promise<void> {
  const { clock, env, signal, stderr, stdout } = context;
  requireName('--cluster-name', options.clusterName);
  if (options.adoptClusterName !== undefined) requireName('--adopt-cluster-name', options.adoptClusterName);
  const conf = cloudOptions(options);
  for (const warning of conf.warnings) stderr.write(`warning: ${options.cloudConfig}: ${warning}\n`);
  if (conf.routerID !== undefined && options.clusterCidr === undefined) {
    stderr.write(`warning: ${options.cloudConfig}: [route] router-id has no effect without --cluster-cidr\n`);
  }
  const connection = await managementConnection(context, options);
  const starting = start(connection, () =>
    runCloudProvider({
      client: managementClient(connection, clock, 'fairway-cloud-provider'),
      connect: () => new HttpsTransport({ ...connection.transport, clock }),
      conf,
      clusterName: options.clusterName,
      adoptedClusterName: options.adoptClusterName,
      clusterCIDR: options.clusterCidr,
      controllers: options.controllers,
      leaderElection: leaderElectionOf(options),
      // As in cloud-provider-openstack.
      includesRegion: env['OS_CCM_REGIONAL'] === 'true',
      metricsListen: options.metricsListen,
      clock,
      random: Math.random,
      log: createLogger(new LogLevels(options.logLevel, options.logLevels)),
      signal,
      onStep: (step) => stderr.write(`  ${step}\n`),
    }),
  );
  const running = await abortableStart(context, starting);
  stdout.write(printWelcome(running, connection, options));
  const stopped = new Promise<'stopped'>((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  const ended = await Promise.race([stopped, running.lost.then(() => 'lost' as const)]);
  if (ended === 'stopped') stderr.write('stopping; press again to stop immediately\n');
  await running.stop();
  if (ended === 'lost') {
    throw new CommandError(
      `lost the Lease ${options.leaderElectResourceNamespace}/${options.leaderElectResourceName}`,
      {
        advice: 'start it again: it waits until it can become the leader',
      },
    );
  }
  stderr.write('stopped\n');
}

function requireName(flag: string, name: string): void {
  if (name !== '' && !/[/\s]/.test(name)) return;
  throw usageError(`${flag} "${name}" must not be empty and must not contain spaces or "/"`);
}

function leaderElectionOf(options: CloudProviderCommandOptions): LeaderElection | undefined {
  if (!options.leaderElect) return undefined;
  const {
    leaderElectLeaseDuration: lease,
    leaderElectRenewDeadline: deadline,
    leaderElectRetryPeriod: retry,
  } = options;
  if (lease <= deadline || deadline <= retry) {
    throw usageError(
      '--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline, which must be longer than --leader-elect-retry-period',
    );
  }
  return {
    name: options.leaderElectResourceName,
    namespace: options.leaderElectResourceNamespace,
    leaseDurationMs: lease,
    renewDeadlineMs: deadline,
    retryPeriodMs: retry,
  };
}

async function start(
  connection: ManagementConnection,
  run: () => Promise<RunningCloudProvider>,
): Promise<RunningCloudProvider> {
  try {
    return await run();
  } catch (error) {
    if (!isApiError(error, 'Forbidden', 'Unauthorized')) throw error;
    throw new CommandError(`${connection.description}: ${error.message}`, {
      exitCode: ExitCode.Failed,
      advice: 'the required permissions are in deploy/cloud-provider/cloud-provider.yaml',
      cause: error,
    });
  }
}

function printWelcome(
  { clusterUid, controllers, metricsPort }: RunningCloudProvider,
  { description }: ManagementConnection,
  { clusterName, metricsListen }: CloudProviderCommandOptions,
): string {
  const host = metricsListen && (isIPv6(metricsListen.host) ? `[${metricsListen.host}]` : metricsListen.host);
  const lines = [
    `Fairway is the cloud provider of ${description}`,
    `  cluster     ${clusterName} (${clusterUid})`,
    `  controllers ${[...controllers].join(', ')}`,
    ...(metricsPort === undefined ? [] : [`  metrics     http://${host}:${metricsPort}/metrics`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
