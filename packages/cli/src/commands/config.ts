import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { configOption, outputOption } from '../command/options.ts';

export function addConfigCommands(program: Command, context: CliContext): void {
  const config = program
    .command('config')
    .description('work with the configuration file of "fairway up" and "fairway serve"');
  config
    .command('check')
    .argument('[file]', 'configuration file; default: FAIRWAY_CONFIG')
    .description('check the configuration file, the environment, and the files and cloud that they refer to')
    .addOption(configOption())
    .action(async (file: string | undefined, options) => {
      const { checkConfiguration } = await import('../configuration/check.ts');
      await checkConfiguration(context, file ?? options.config);
    });
  config
    .command('show')
    .argument('[file]', 'configuration file; default: FAIRWAY_CONFIG')
    .description('print every setting and where its value comes from, without secrets')
    .addOption(configOption())
    .addOption(outputOption(['json', 'yaml']))
    .action(async (file: string | undefined, options) => {
      const { showConfiguration } = await import('../configuration/show.ts');
      showConfiguration(context, file ?? options.config, options);
    });
  config
    .command('schema')
    .description('print the JSON schema of the configuration file, for use in editors')
    .action(async () => {
      const { configurationSchema } = await import('../configuration/json-schema.ts');
      context.stdout.write(`${JSON.stringify(configurationSchema(), undefined, 2)}\n`);
    });
}
