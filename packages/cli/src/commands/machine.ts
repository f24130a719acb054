import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, durationBetween, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';
import {
  addDeleteCommand,
  addDescribeCommand,
  addEventsCommand,
  addListCommand,
  addWaitCommand,
  addWatchableGetCommand,
} from './kind-commands.ts';

export function addMachineCommands(program: Command, context: CliContext): void {
  const words = { kind: 'machine', plural: 'machines', hasCluster: true } as const;
  const machine = program.command('machine').description('show, repair and replace machines');
  addListCommand(machine, context, program, words);
  addWatchableGetCommand(machine, context, program, { ...words, watched: 'one machine' });
  addDescribeCommand(machine, context, program, words);
  addEventsCommand(machine, context, program, {
    kind: 'machine',
    description: 'show the events of a machine, newest last',
  });
  addWaitCommand(machine, context, program, { ...words, ready: 'also show their nodes' });
  addDeleteCommand(machine, context, program, {
    kind: 'machine',
    description: 'drain and delete machines and wait until their pools have replaced them; to shrink a pool, scale it',
  });
  machine
    .command('repair')
    .description('repair a machine now, regardless of the state of its node: the machine is reinstalled or replaced')
    .argument('<name>', 'name of the machine')
    .addOption(dryRunOption())
    .addOption(waitOption('the machine is repaired'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('30m'))
    .action(async (name, options) => {
      const { repairMachine } = await import('../resources/machine-verbs.ts');
      await repairMachine(context, program.opts(), name, options);
    });
  machine
    .command('exclude')
    .description('exclude a machine from healing: its node is not repaired until the machine is included again')
    .argument('<name>', 'name of the machine')
    .addOption(dryRunOption())
    .action(async (name, options) => {
      const { setExcluded } = await import('../resources/machine-verbs.ts');
      await setExcluded(context, program.opts(), name, true, options);
    });
  machine
    .command('include')
    .description('include a machine in healing again')
    .argument('<name>', 'name of the machine')
    .addOption(dryRunOption())
    .action(async (name, options) => {
      const { setExcluded } = await import('../resources/machine-verbs.ts');
      await setExcluded(context, program.opts(), name, false, options);
    });
  machine
    .command('drain')
    .description('stop waiting for a drain in progress: the node is deleted with the pods that are still on it')
    .argument('<name>', 'name of the machine')
    .addOption(new Option('--force', 'the remaining pods are deleted with their node').makeOptionMandatory(true))
    .addOption(dryRunOption())
    .action(async (name, options) => {
      const { forceDrain } = await import('../resources/machine-verbs.ts');
      await forceDrain(context, program.opts(), name, options);
    });
  machine
    .command('keep')
    .description('keep the server of a machine for inspection when the machine is replaced or deleted')
    .argument('<name>', 'name of the machine')
    .addOption(
      new Option('--for <duration>', 'how long to keep the server, such as 4h; at most 72h')
        .argParser((text) => `${durationBetween('1m', '72h')(text) / 1000}s`)
        .makeOptionMandatory(true),
    )
    .addOption(dryRunOption())
    .action(async (name, options) => {
      const { keepMachine } = await import('../resources/machine-verbs.ts');
      await keepMachine(context, program.opts(), name, options.for, options);
    });
}
