import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationFrom, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';
import {
  addDeleteCommand,
  addEventsCommand,
  addListCommand,
  addWaitCommand,
  addWatchableGetCommand,
} from './kind-commands.ts';

export function addMachineCommands(program: Command, context: CliContext): void {
  const words = { kind: 'machine', plural: 'machines', hasCluster: true } as const;
  const machine = program
    .command('machine')
    .description('show machines, repair them, and replace them by deleting them');
  addListCommand(machine, context, program, words);
  addWatchableGetCommand(machine, context, program, { ...words, watched: 'one machine' });
  addEventsCommand(machine, context, program, {
    kind: 'machine',
    description: 'show what happened to a machine, the latest last',
  });
  addWaitCommand(machine, context, program, { ...words, ready: 'with their nodes' });
  addDeleteCommand(machine, context, program, {
    kind: 'machine',
    description: 'drain and delete machines, and wait until their pools have replaced them; to shrink a pool, scale it',
  });
  machine
    .command('repair')
    .description('have a machine repaired now, whatever its node says: reinstalled or replaced')
    .argument('<name>', 'name of the machine')
    .addOption(waitOption('it is repaired'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('30m'))
    .action(async (name, options) => {
      const { repairMachine } = await import('../resources/machine-verbs.ts');
      await repairMachine(context, program.opts(), name, options);
    });
  machine
    .command('exclude')
    .description('keep healing from a machine: its node is not repaired until it is included again')
    .argument('<name>', 'name of the machine')
    .action(async (name) => {
      const { setExcluded } = await import('../resources/machine-verbs.ts');
      await setExcluded(context, program.opts(), name, true);
    });
  machine
    .command('include')
    .description('let healing repair a machine again that was excluded')
    .argument('<name>', 'name of the machine')
    .action(async (name) => {
      const { setExcluded } = await import('../resources/machine-verbs.ts');
      await setExcluded(context, program.opts(), name, false);
    });
  machine
    .command('drain')
    .description('end the wait of a drain that is under way: the node goes with the pods that have not left')
    .argument('<name>', 'name of the machine')
    .addOption(new Option('--force', 'needed: the pods that are left end with their node').makeOptionMandatory(true))
    .action(async (name) => {
      const { forceDrain } = await import('../resources/machine-verbs.ts');
      await forceDrain(context, program.opts(), name);
    });
  machine
    .command('keep')
    .description('have the server of a machine stay for inspection when it is replaced or deleted')
    .argument('<name>', 'name of the machine')
    .addOption(
      new Option('--for <duration>', 'for how long, such as 4h; at most 72h')
        .argParser((text) => `${durationFrom('1m', '72h')(text) / 1000}s`)
        .makeOptionMandatory(true),
    )
    .action(async (name, options) => {
      const { keepMachine } = await import('../resources/machine-verbs.ts');
      await keepMachine(context, program.opts(), name, options.for);
    });
}
