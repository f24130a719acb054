import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationBetween, milliseconds } from '../command/options.ts';

export function addAutoscalerConfigCommand(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('autoscaler-config')
    .description("print a Secret for the cluster's own cluster-autoscaler, with its cloud-config, key and certificates")
    .argument('<name>', 'name of the cluster, whose spec.autoscaler.mode must be External')
    .addOption(
      new Option('--expiration <duration>', 'validity of the certificate, from 1h to 2160h')
        .argParser(durationBetween('1h', '2160h'))
        .default(milliseconds('720h'), '720h'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  fairway cluster autoscaler-config demo | kubectl --kubeconfig demo.kubeconfig apply -f -',
    )
    .action(async (name, options) => {
      const { printAutoscalerConfig } = await import('../resources/autoscaler-config.ts');
      await printAutoscalerConfig(context, program.opts(), name, options);
    });
}
