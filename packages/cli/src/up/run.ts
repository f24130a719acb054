import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { isIPv6 } from 'node:net';
import { join, relative } from 'node:path';
import { reclaimMemory } from '@fairway/base/reclaim-memory';
import { type KeystoneSettings, keystoneSettings } from '@fairway/identity/settings';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { LogLevels } from '@fairway/service/log-levels';
import { createLogger } from '@fairway/service/logger';
import { metricsPushSettings } from '@fairway/service/otlp/metrics-settings';
import type { ListenAddress } from '@fairway/service/serve/listen-address';
import { tracingSettings } from '@fairway/service/tracing/tracing-settings';
import { Home, HomeInUseError } from '@fairway/service/up/home';
import { readNodeSettings } from '@fairway/service/up/node-settings';
import { SharedHomeError } from '@fairway/service/up/private-home';
import { type RunningFairway, type UpOptions, up } from '@fairway/service/up/up';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { homePath } from '../client/choose-kubeconfig.ts';
import type { CliContext } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';
import { reloadOnHangup } from '../configuration/reload.ts';
import { abortableStart } from './abortable-start.ts';
import { auditOptions } from './audit-options.ts';
import { backupOptions } from './backup-options.ts';
import { certificateOptions } from './certificate-options.ts';
import { checkCloudOptions } from './cloud-options.ts';
import { controlPlaneOptions } from './control-plane-options.ts';
import { keystoneOptions } from './keystone-options.ts';
import { magnumOptions } from './magnum-options.ts';

interface UpCommandOptions extends FairwayCommandOptions {
  readonly simLatency: 'none' | 'realistic';
  readonly backupSchedule?: string;
  readonly backupKeep: number;
  readonly externalAutoscalerListen?: ListenAddress;
}

/**
 * Runs Fairway until the first SIGINT or SIGTERM, then shuts down gracefully; a second signal ends the process
 * immediately.
 */
export async function runUp(
  context: CliContext,
  options: UpCommandOptions,
  reread: () => UpCommandOptions,
): Promise<void> {
  const { clock, stderr, stdout, signal } = context;
  const backups = backupOptions(context, options);
  const audit = await auditOptions(context, options);
  const levels = new LogLevels(options.logLevel, options.logLevels);
  // The umask also covers files that libraries and programs create in the home.
  process.umask(0o077);
  const home = new Home(homePath(options.home, context.env, context.cwd));
  const cloudCheck = checkCloudOptions(context, options);
  const isFirstStart = !existsSync(home.database);
  if (isFirstStart) stderr.write(`setting up ${home.path}\n`);
  const startedMs = clock.now();
  const controlPlanes = await controlPlaneOptions(context, options, home, false);
  const running = await abortableStart(
    context,
    start(context, options, home, { isFirstStart, levels, controlPlanes, backups, audit }),
  );
  const seconds = ((clock.now() - startedMs) / 1000).toFixed(1);
  const stopReloading = reloadOnHangup(context, { started: options, reread, levels });
  const stopReclaiming = reclaimMemory({ clock });
  if (!signal.aborted) {
    stdout.write(
      welcomeMessage({ running, home, seconds, cwd: context.cwd, isSimulated: options.cloud === undefined }),
    );
    // A killed process can't write its compile cache when it exits, and the next start would compile everything again.
    flushCompileCache();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  stopReloading();
  await stopReclaiming();
  stderr.write('stopping; press again to stop immediately\n');
  await Promise.all([running.stop(), cloudCheck]);
  stderr.write('stopped\n');
}

async function start(
  context: CliContext,
  options: UpCommandOptions,
  home: Home,
  {
    isFirstStart,
    levels,
    ...chosen
  }: { readonly isFirstStart: boolean; readonly levels: LogLevels } & Required<
    Pick<UpOptions, 'controlPlanes' | 'backups' | 'audit'>
  >,
): Promise<RunningFairway> {
  const { clock, stderr } = context;
  const { host, port } = options.listen;
  const keystone = keystoneOptions(context, options) ?? simulatedKeystone(options);
  const nodeSettings = options.nodeSettings === undefined ? undefined : readNodeSettings(options.nodeSettings);
  try {
    return await up({
      home,
      host,
      port,
      advertised: options.advertiseAddress,
      subjectAltNames: options.tlsSan,
      cloud: options.cloud,
      certificate: certificateOptions(context, options),
      cloudsFile: options.cloudsFile,
      latency: options.simLatency,
      defaultImage: options.defaultImage,
      nodeSettings,
      observeMs: options.cloudCheck,
      credentialCheckMs: options.credentialCheck,
      orphans: options.orphans,
      allowInCluster: options.inClusterPools,
      usageRetentionDays: options.usageRetentionDays,
      tracing: tracingSettings(context.env, options.tracing),
      metricsPush: metricsPushSettings(context.env),
      quotaDefaults: options.projectQuota,
      keystone,
      limits: options.limits,
      externalAutoscalerListen: options.externalAutoscalerListen,
      magnumListen: magnumOptions(options, keystone),
      console: options.console,
      consoleDocumentation: options.consoleDocumentation,
      version: FAIRWAY_VERSION,
      clock,
      random: Math.random,
      log: createLogger(levels),
      ...chosen,
      ...(isFirstStart && { onStep: (step) => stderr.write(`  ${step}\n`) }),
    });
  } catch (error) {
    throw explainStartFailure(error, `${host}:${port}`);
  }
}

/** Enables the simulated cloud's users by default, so project members can sign in to the console. */
function simulatedKeystone({ cloud }: Pick<UpCommandOptions, 'cloud'>): KeystoneSettings | undefined {
  return cloud === undefined ? keystoneSettings(SIMULATED_SERVICE_ENTRY) : undefined;
}

/** Adds advice to a start that failed because of the address or the home; returns other errors unchanged. */
export function explainStartFailure(error: unknown, listen: string): unknown {
  if (error instanceof HomeInUseError || error instanceof SharedHomeError)
    return new CommandError(error.message, { cause: error });
  const advise = ADVICE_BY_CODE.get((error as NodeJS.ErrnoException).code ?? '');
  if (advise === undefined) return error;
  return new CommandError(...advise(error as Error, listen));
}

type ErrorExplainer = (
  error: Error,
  listen: string,
) => [message: string, options: ConstructorParameters<typeof CommandError>[1]];

/** Fairway may listen on additional addresses; the system error names the affected one. */
function addressOf(error: Error, listen: string): string {
  const { address, port } = error as { readonly address?: string; readonly port?: number };
  if (address === undefined || port === undefined) return listen;
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

const listenError: ErrorExplainer = (cause, listen) => [
  `${addressOf(cause, listen)} is not an address of this machine`,
  { exitCode: ExitCode.Usage, cause },
];
const writeError: ErrorExplainer = (cause) => [
  cause.message,
  { exitCode: ExitCode.Usage, cause, advice: 'choose another folder with --home' },
];

const ADVICE_BY_CODE: ReadonlyMap<string, ErrorExplainer> = new Map([
  [
    'EADDRINUSE',
    (cause, listen) => [
      `${addressOf(cause, listen)} is already in use`,
      {
        exitCode: ExitCode.Usage,
        cause,
        advice:
          addressOf(cause, listen) === listen
            ? 'stop the process that uses it, or choose another port with --listen 127.0.0.1:PORT (0 chooses a free port)'
            : 'stop the process that uses it, or choose another port',
      },
    ],
  ],
  ['EADDRNOTAVAIL', listenError],
  ['ENOTFOUND', listenError],
  ['EACCES', writeError],
  ['EPERM', writeError],
  ['EROFS', writeError],
  ['ENOTDIR', writeError],
  ['EEXIST', writeError],
  ['ENOSPC', writeError],
]);

/** Entry in the simulated cloud's clouds.yaml for a user who may validate tokens. */
const SIMULATED_SERVICE_ENTRY = 'simulator-service';

interface Welcome {
  readonly running: Pick<RunningFairway, 'url' | 'cloudName' | 'magnumUrl' | 'consoleUrl'>;
  readonly home: Home;
  readonly seconds: string;
  readonly cwd: string;
  readonly isSimulated: boolean;
}

/** The message once Fairway is serving: its address, and what to type next. */
export function welcomeMessage({ running, home, seconds, cwd, isSimulated }: Welcome): string {
  const example = join(import.meta.dirname, '../../../../examples/cluster.yaml');
  const lines = [
    `Fairway serves at ${running.url} after ${seconds} s; its state is in ${home.path}`,
    `  kubeconfig  ${home.kubeconfig}`,
    ...(isSimulated
      ? [
          `  cloud       simulated: OS_CLIENT_CONFIG_FILE=${shellQuote(home.cloudsYaml)} openstack --os-cloud ${running.cloudName} server list`,
        ]
      : [`  cloud       ${running.cloudName}`]),
    ...(running.consoleUrl === undefined
      ? []
      : [
          `  console     ${running.consoleUrl}`,
          ...(isSimulated ? [`              user demo, password in ${shellQuote(home.demoPassword)}`] : []),
        ]),
    ...(running.magnumUrl === undefined
      ? []
      : [`  magnum      ${running.magnumUrl}/v1, CA in ${shellQuote(home.apiAuthority)}`]),
    '',
    'In another terminal:',
    `  export KUBECONFIG=${shellQuote(home.kubeconfig)}`,
    `  kubectl apply -f ${shellQuote(shortenPath(example, cwd))}`,
    '  kubectl get clusters,nodepools,machines',
    '',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The path relative to the working directory, if the path is below that directory. */
function shortenPath(path: string, cwd: string): string {
  const relativePath = relative(cwd, path);
  return relativePath.startsWith('..') ? path : relativePath;
}

function shellQuote(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
