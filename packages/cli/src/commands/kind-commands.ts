import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, outputOption, timeoutOption, waitOption } from '../command/options.ts';
import type { KindName, ShownKindName } from '../resources/kind-names.ts';

interface KindWords {
  readonly kind: ShownKindName;
  readonly plural: string;
  /** For machines and pools, which belong to a cluster. */
  readonly hasCluster?: boolean;
  /** For what the operator offers to all. */
  readonly isInNoNamespace?: boolean;
}

export function addListCommand(parent: Command, context: CliContext, program: Command, words: KindWords): void {
  const command = parent
    .command('list')
    .alias('ls')
    .description(`list ${words.plural}, with the columns that kubectl shows`)
    .option('-l, --selector <labels>', 'only those with these labels, such as team=a');
  if (!words.isInNoNamespace) command.option('-A, --all-namespaces', 'in all namespaces that you can read');
  if (words.hasCluster) command.option('--cluster <name>', 'only those of one cluster');
  command.addOption(outputOption()).action(async (options) => {
    const { listObjects } = await import('../resources/show.ts');
    await listObjects(context, program.opts(), words.kind, options);
  });
}

export function addGetCommand(parent: Command, context: CliContext, program: Command, words: KindWords): Command {
  return parent
    .command('get')
    .alias('show')
    .description(`show one or more ${words.plural}`)
    .argument('<names...>', `names of ${words.plural}`)
    .addOption(outputOption())
    .action(async (names, options) => {
      const { getObjects } = await import('../resources/show.ts');
      await getObjects(context, program.opts(), words.kind, names, options);
    });
}

/** `get` of a kind whose operations can be followed. */
export function addWatchableGetCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  words: KindWords & { readonly kind: KindName; readonly watched: string },
): void {
  addGetCommand(parent, context, program, words)
    .option('-w, --watch', `show what is being done to ${words.watched}, until it is done`)
    .addOption(timeoutOption('24h'))
    .action(async (names, options) => {
      const { getOrWatch } = await import('../resources/watch.ts');
      await getOrWatch(context, program.opts(), words.kind, names, options);
    });
}

/** `wait` of a kind whose objects change state. */
export function addWaitCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  { kind, plural, ready }: { readonly kind: KindName; readonly plural: string; readonly ready: string },
): void {
  parent
    .command('wait')
    .description(
      `wait until ${plural} are in a state, and show how far they are; ends with 0 if they are, 1 if they cannot come there without somebody's help, 4 if they are not in time`,
    )
    .argument('<names...>', `names of ${plural}`)
    .option(
      '--for <state>',
      `Ready (${ready}), deleted (one that does not exist is), upgraded (to the version that the cluster asks for), or as in kubectl condition=TYPE or condition=TYPE=STATUS`,
      'Ready',
    )
    .addOption(timeoutOption('30m'))
    .action(async (names, options) => {
      const { waitForObjects } = await import('../resources/wait-objects.ts');
      await waitForObjects(context, program.opts(), kind, names, options);
    });
}

export function addEventsCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  { kind, description }: { readonly kind: KindName; readonly description: string },
): void {
  parent
    .command('events')
    .description(description)
    .argument('<name>', `name of the ${kind}`)
    .addOption(outputOption(['json']))
    .action(async (name, options) => {
      const { listEvents } = await import('../resources/object-events.ts');
      await listEvents(context, program.opts(), kind, name, options);
    });
}

export function addDeleteCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  { kind, description }: { readonly kind: KindName; readonly description: string },
): void {
  parent
    .command('delete')
    .description(description)
    .argument('<names...>', 'what to delete')
    .option('-y, --yes', 'do not ask for confirmation; implied without a terminal')
    .addOption(waitOption('it is over'))
    .addOption(noWaitOption())
    .addOption(dryRunOption())
    .addOption(timeoutOption('15m'))
    .action(async (names, options) => {
      const { deleteObjects } = await import('../resources/delete.ts');
      await deleteObjects(context, program.opts(), kind, names, options);
    });
}
