import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('diagnose Fairway or a cloud: what is wrong and how to fix it')
    .option('--cloud <name>', 'check this cloud of clouds.yaml: what it offers for Kubernetes')
    .option('--home <dir>', "folder of Fairway's state; default: FAIRWAY_HOME, else ./.fairway")
    .addOption(outputOption(['json', 'yaml']))
    .addHelpText('after', '\nExit code: 0 when everything works or only warnings were found, else 1.')
    .action(async (options) => {
      const { runDoctor } = await import('../doctor/doctor.ts');
      await runDoctor(context, program.opts(), options);
    });
}
