import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('diagnose Fairway or a cloud: find problems and explain how to fix them')
    .option(
      '--cloud <name>',
      'check what this cloud in clouds.yaml offers for Kubernetes, and propose limits for Plans',
    )
    .option('--home <dir>', "folder with Fairway's state; default: FAIRWAY_HOME, else ./.fairway")
    .addOption(outputOption(['json', 'yaml']))
    .addHelpText('after', '\nExit code: 0 if everything works or only warnings were found, else 1.')
    .action(async (options) => {
      const { runDoctor } = await import('../doctor/doctor.ts');
      await runDoctor(context, program.opts(), options);
    });
}
