import type { LogLevel } from '@fairway/service/logger';
import type { ControlPlaneKind } from '@fairway/service/up/choose-control-plane';
import { type Command, Option } from 'commander';
import { durationFrom } from '../command/options.ts';
import { parseIPAddress } from '../up/listen-address.ts';

/** What `up` and `serve` are both told. */
export interface FairwayCommandOptions {
  readonly home?: string;
  readonly cloud?: string;
  readonly defaultImage?: string;
  readonly controlPlane?: ControlPlaneKind;
  readonly controlPlaneAddress: string;
  readonly snapshots?: string;
  readonly nodeSettings?: string;
  /** Milliseconds. */
  readonly cloudCheck: number;
  /** Milliseconds. */
  readonly credentialCheck: number;
  readonly logLevel: LogLevel;
}

/** Adds the options of everything that Fairway is but its API. */
export function addFairwayOptions(command: Command): Command {
  return command
    .option('--cloud <name>', 'drive this cloud of clouds.yaml instead of a simulated one')
    .option('--default-image <name>', 'image of nodes, by name or id, where neither cluster nor pool names one')
    .addOption(
      new Option(
        '--control-plane <runtime>',
        "how clusters' control planes run: real ones as local processes, or simulated; processes where their programs are in KUBEBUILDER_ASSETS, fetched (fairway releases) or on PATH",
      ).choices(['process', 'simulated']),
    )
    .addOption(
      new Option(
        '--control-plane-address <address>',
        "this machine's address where API servers listen that run as processes, and where nodes find them",
      )
        .argParser(parseIPAddress)
        .default('127.0.0.1'),
    )
    .option(
      '--snapshots <folder>',
      "where snapshots of clusters' databases go, such as a mount of other storage; else into the home",
    )
    .option(
      '--node-settings <file>',
      'YAML with what holds for all nodes: mirrors of packages and images, proxy, authorities (docs/operators/nodes.md)',
    )
    .addOption(
      new Option('--cloud-check <duration>', "how often each project's servers are listed while all is at rest")
        .argParser(durationFrom('1s'))
        .default(60_000, '1m'),
    )
    .addOption(
      new Option('--credential-check <duration>', "how often Keystone is asked about each of the tenants' credentials")
        .argParser(durationFrom('1s'))
        .default(60_000, '1m'),
    )
    .addOption(
      new Option('--log-level <level>', 'how much is logged, as JSON lines on stderr')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('warn'),
    );
}
