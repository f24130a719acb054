import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addCsiCommand(program: Command, context: CliContext): void {
  program
    .command('csi')
    .description(
      "serve the controller of the Cinder CSI driver to Kubernetes' own sidecars, for a cluster that Fairway does not run",
    )
    .addOption(
      new Option(
        '--endpoint <socket>',
        'where to listen: unix:///run/csi/csi.sock; its own user alone may use it',
      ).makeOptionMandatory(true),
    )
    .addOption(new Option('--cloud <name>', 'cloud of clouds.yaml').makeOptionMandatory(true))
    .addOption(
      new Option(
        '--cluster <name>',
        'name or UID of the cluster, unique in its project: marks the volumes that are its own, and must not change',
      )
        .argParser(parseClusterName)
        .makeOptionMandatory(true),
    )
    .addOption(
      new Option('--log-level <level>', 'how much is logged')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .action(async (options) => {
      const { runCsi } = await import('../csi/run.ts');
      await runCsi(context, options);
    });
}

function parseClusterName(text: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('Up to 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends.');
}
