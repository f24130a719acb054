import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('say what is wrong with Fairway or a cloud, and what to do about it')
    .option('--cloud <name>', 'look at this cloud of clouds.yaml: what it offers for Kubernetes')
    .option('--home <dir>', "folder of Fairway's state; else FAIRWAY_HOME, else ./.fairway")
    .addOption(outputOption(['json', 'yaml']))
    .addHelpText('after', '\nExit code: 0 when everything works or only warnings were found, else 1.')
    .action(async (options) => {
      const { runDoctor } = await import('../doctor/doctor.ts');
      await runDoctor(context, program.opts(), options);
    });
}
