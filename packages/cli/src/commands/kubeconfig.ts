import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationFrom, milliseconds } from '../command/options.ts';

export function addKubeconfigCommand(program: Command, context: CliContext): void {
  program
    .command('kubeconfig')
    .description("print a short-lived kubeconfig for a cluster's own API")
    .argument('<cluster>', 'name of the cluster')
    .addOption(
      new Option('--expiration <duration>', 'how long it is valid: from 10m to 24h')
        .argParser(durationFrom('10m', '24h'))
        .default(milliseconds('1h'), '1h'),
    )
    .option('--merge [file]', 'put it into a kubeconfig instead (~/.kube/config), and make it the current context')
    .addHelpText('after', '\nExample:\n  fairway kubeconfig demo > demo.kubeconfig')
    .action(async (cluster, options) => {
      const { printKubeconfig } = await import('../resources/kubeconfig.ts');
      await printKubeconfig(context, program.opts(), cluster, options);
    });
}
