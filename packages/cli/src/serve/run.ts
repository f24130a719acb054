import { flushCompileCache } from 'node:module';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { reclaimMemory } from '@fairway/base/reclaim-memory';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { EmbeddedManagementError, MissingKindsError } from '@fairway/service/fairway/management-engine';
import { foreignKindsMessage } from '@fairway/service/install/foreign-definitions';
import { LogLevels } from '@fairway/service/log-levels';
import { createLogger } from '@fairway/service/logger';
import { metricsPushSettings } from '@fairway/service/otlp/metrics-settings';
import { FOREIGN_ADVICE, ForeignControlPlanesError } from '@fairway/service/serve/control-plane-location';
import type { GatewayEndpoint } from '@fairway/service/serve/gateway';
import type { ListenAddress } from '@fairway/service/serve/listen-address';
import type { CertificateFiles } from '@fairway/service/serve/own-certificate';
import { type RunningReplica, serve } from '@fairway/service/serve/serve';
import { certificateNames, clientUrl, isWildcard, type ServerNames } from '@fairway/service/serve/server-address';
import { tracingSettings } from '@fairway/service/tracing/tracing-settings';
import { Home, HomeInUseError } from '@fairway/service/up/home';
import { readNodeSettings } from '@fairway/service/up/node-settings';
import { homePath } from '../client/choose-kubeconfig.ts';
import {
  explainManagementError,
  type ManagementConnection,
  managementClient,
  managementConnection,
} from '../client/management-connection.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';
import { reloadOnHangup } from '../configuration/reload.ts';
import { abortableStart } from '../up/abortable-start.ts';
import { auditOptions } from '../up/audit-options.ts';
import { certificateOptions } from '../up/certificate-options.ts';
import { checkCloudOptions } from '../up/cloud-options.ts';
import { controlPlaneOptions } from '../up/control-plane-options.ts';
import { keystoneOptions } from '../up/keystone-options.ts';
import { magnumOptions } from '../up/magnum-options.ts';
import { explainStartFailure } from '../up/run.ts';

interface ServeCommandOptions extends FairwayCommandOptions {
  readonly gateway: boolean;
  readonly webhookUrl?: string;
  readonly metricsListen?: ListenAddress;
}

/** Runs Fairway on a management cluster until the first SIGINT or SIGTERM, then shuts down gracefully. */
export async function runServe(
  context: CliContext,
  options: ServeCommandOptions & GlobalOptions,
  reread: () => ServeCommandOptions,
): Promise<void> {
  const { clock, stderr, stdout, signal } = context;
  // The umask also covers files that libraries and programs create in the home.
  process.umask(0o077);
  const home = new Home(homePath(options.home, context.env, context.cwd));
  const cloudCheck = checkCloudOptions(context, options);
  const connection = await managementConnection(context, options);
  const controlPlanes = await controlPlaneOptions(context, options, home, options.cloud !== undefined);
  const nodeSettings = options.nodeSettings === undefined ? undefined : readNodeSettings(options.nodeSettings);
  const { listen, advertiseAddress: advertisedAddress, tlsSan: subjectAltNames } = options;
  const names = { listen, advertisedAddress: advertisedAddress, subjectAltNames, interfaces: networkInterfaces() };
  const certificate = certificateOptions(context, options);
  const audit = await auditOptions(context, options);
  const keystone = keystoneOptions(context, options);
  const magnumListen = magnumOptions(options, keystone);
  const magnum = magnumListen && {
    ...names,
    listen: magnumListen,
    advertisedAddress: advertisedAddress && { ...advertisedAddress, port: undefined },
  };
  const levels = new LogLevels(options.logLevel, options.logLevels);
  const startedMs = clock.now();
  const starting = start(connection, `${options.listen.host}:${options.listen.port}`, () =>
    serve({
      home,
      client: managementClient(connection, clock, 'fairway-controllers'),
      cloud: options.cloud,
      cloudsFile: options.cloudsFile,
      gateway: gatewayOf(connection, options, { names, certificate, magnum }),
      magnum: magnum && { names: magnum, certificate, limits: options.limits },
      defaultImage: options.defaultImage,
      nodeSettings,
      observeMs: options.cloudCheck,
      credentialCheckMs: options.credentialCheck,
      orphans: options.orphans,
      allowInCluster: options.inClusterPools,
      keystone,
      usageRetentionDays: options.usageRetentionDays,
      tracing: tracingSettings(context.env, options.tracing),
      metricsPush: metricsPushSettings(context.env),
      quotaDefaults: options.projectQuota,
      namespaceLimits: options.limits,
      metricsListen: options.metricsListen,
      audit,
      controlPlanes,
      clock,
      random: Math.random,
      log: createLogger(levels),
      signal,
      onStep: (step) => stderr.write(`  ${step}\n`),
      onForeignKinds: (names) => {
        if (names.length > 0) stderr.write(`warning: ${foreignKindsMessage(names)}\n`);
      },
    }),
  );
  const running = await abortableStart(context, starting);
  const seconds = ((clock.now() - startedMs) / 1000).toFixed(1);
  const stopReloading = reloadOnHangup(context, { started: options, reread, levels });
  const stopReclaiming = reclaimMemory({ clock });
  if (!signal.aborted) {
    if (!options.gateway && options.metricsListen === undefined) {
      stderr.write('metrics are not served without a gateway; to serve them, add --metrics-listen 127.0.0.1:9090\n');
    }
    stdout.write(
      printWelcome(running, {
        server: connection.description,
        seconds,
        home,
        names,
        metricsUrl: metricsUrl(options, running),
        isConsoleServed: options.console,
      }),
    );
    // As in `up`: a killed process can't write anything when it exits.
    flushCompileCache();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  stopReloading();
  await stopReclaiming();
  stderr.write('stopping; press again to stop immediately\n');
  await Promise.all([running.stop(), cloudCheck]);
  stderr.write('stopped\n');
}

/** Undefined with `--no-gateway`. */
function gatewayOf(
  { transport }: ManagementConnection,
  options: ServeCommandOptions,
  {
    names,
    certificate,
    magnum,
  }: {
    readonly names: ServerNames;
    readonly certificate: CertificateFiles | undefined;
    readonly magnum: ServerNames | undefined;
  },
): GatewayEndpoint | undefined {
  const { gateway, listen, webhookUrl, limits, console, consoleDocumentation } = options;
  if (!gateway) return undefined;
  if (webhookUrl === undefined && isWildcard(listen.host)) {
    throw new CommandError(`the API server cannot call --listen ${listen.host}:${listen.port}`, {
      exitCode: ExitCode.Usage,
      advice: 'set the address of the gateways with --webhook-url https://HOST:PORT',
    });
  }
  // Magnum's API uses the same certificate.
  const hosts = [...certificateNames(names), ...(magnum ? certificateNames(magnum) : [])];
  return { connection: transport, listen, hosts, webhookUrl, certificate, limits, console, consoleDocumentation };
}

interface Welcome {
  readonly server: string;
  readonly seconds: string;
  readonly home: Home;
  readonly names: ServerNames;
  readonly metricsUrl: string | undefined;
  readonly isConsoleServed: boolean;
}

function printWelcome(
  { gateway, magnumUrl, cloudName, identity }: RunningReplica,
  { server, seconds, home, names, metricsUrl, isConsoleServed }: Welcome,
): string {
  if (gateway) home.write(home.gatewayAuthority, gateway.certificateAuthority);
  const lines = [
    `Fairway serves ${server} after ${seconds} s`,
    ...(gateway
      ? [
          `  gateway     ${clientUrl(names, Number(new URL(gateway.url).port || 443))}; its CA is ${home.gatewayAuthority}`,
          ...(isConsoleServed ? ['  console     /console/ at the gateway'] : []),
        ]
      : []),
    ...(magnumUrl === undefined ? [] : [`  magnum      ${magnumUrl}/v1, with the same CA`]),
    ...(metricsUrl === undefined ? [] : [`  metrics     ${metricsUrl}`]),
    `  replica     ${identity}`,
    `  cloud       ${cloudName}`,
    `  home        ${home.path}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

async function start(
  connection: ManagementConnection,
  listen: string,
  run: () => Promise<RunningReplica>,
): Promise<RunningReplica> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HomeInUseError) throw new CommandError(error.message, { cause: error });
    if (error instanceof ForeignControlPlanesError) {
      throw new CommandError(error.message, { exitCode: ExitCode.Usage, advice: FOREIGN_ADVICE, cause: error });
    }
    if (error instanceof MissingKindsError) {
      throw new CommandError(`${error.message} (${connection.description})`, {
        exitCode: ExitCode.Usage,
        advice: 'run "fairway install" with the same kubeconfig, as an administrator of that cluster',
        cause: error,
      });
    }
    if (error instanceof EmbeddedManagementError) {
      throw new CommandError(`${connection.description} is the API of "fairway up", which runs its own controllers`, {
        exitCode: ExitCode.Usage,
        advice: "choose the management cluster's kubeconfig with --kubeconfig or --context",
        cause: error,
      });
    }
    if (isApiError(error, 'Forbidden')) {
      throw new CommandError(error.message, {
        advice: 'run as the ServiceAccount fairway-system/fairway, whose rights "fairway install" creates',
        cause: error,
      });
    }
    throw explainStartFailure(explainManagementError(error, connection), listen);
  }
}

function metricsUrl(
  { metricsListen }: Pick<ServeCommandOptions, 'metricsListen'>,
  { metricsPort: port }: Pick<RunningReplica, 'metricsPort'>,
): string | undefined {
  if (metricsListen === undefined || port === undefined) return undefined;
  const { host } = metricsListen;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/metrics`;
}
