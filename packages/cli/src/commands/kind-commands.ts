import type { Command } from 'commander';
import { yesOption } from '../command/confirm.ts';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, outputOption, timeoutOption, waitOption } from '../command/options.ts';
import type { KindName, ReadableKindName } from '../resources/kind-names.ts';

interface KindWords {
  readonly kind: ReadableKindName;
  readonly plural: string;
  /** For machines and pools, which belong to a cluster. */
  readonly hasCluster?: boolean;
  /** For kinds that the operator offers to all tenants. */
  readonly isClusterScoped?: boolean;
}

export function addListCommand(parent: Command, context: CliContext, program: Command, words: KindWords): void {
  const command = parent
    .command('list')
    .alias('ls')
    .description(`list ${words.plural}, with the same columns as kubectl`)
    .option('-l, --selector <labels>', 'show only objects with these labels, such as team=a');
  if (!words.isClusterScoped) command.option('-A, --all-namespaces', 'include all namespaces that you can read');
  if (words.hasCluster) command.option('--cluster <name>', 'show only objects of this cluster');
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

/** `get` for a kind whose operations can be followed. */
export function addWatchableGetCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  words: KindWords & { readonly kind: KindName; readonly watched: string },
): void {
  addGetCommand(parent, context, program, words)
    .option('-w, --watch', `show the progress of ${words.watched} until the operation is complete`)
    .addOption(timeoutOption('24h'))
    .action(async (names, options) => {
      const { getOrWatch } = await import('../resources/watch.ts');
      await getOrWatch(context, program.opts(), words.kind, names, options);
    });
}

/** `wait` for a kind whose objects change state. */
export function addWaitCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  { kind, plural, ready }: { readonly kind: KindName; readonly plural: string; readonly ready: string },
): void {
  parent
    .command('wait')
    .description(
      `wait until ${plural} reach a state, and show their progress; exits with 0 if they reach the state, 1 if they cannot reach it without intervention, and 4 if the wait times out`,
    )
    .argument('<names...>', `names of ${plural}`)
    .option(
      '--for <state>',
      `Ready (${ready}), deleted (also if the object does not exist), upgraded (to the version in the cluster's spec), or, as in kubectl, condition=TYPE or condition=TYPE=STATUS`,
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
    .addOption(outputOption(['json', 'yaml']))
    .action(async (name, options) => {
      const { listEvents } = await import('../resources/object-events.ts');
      await listEvents(context, program.opts(), kind, name, options);
    });
}

export function addDescribeCommand(
  parent: Command,
  context: CliContext,
  program: Command,
  { kind, plural }: { readonly kind: KindName; readonly plural: string },
): void {
  parent
    .command('describe')
    .description(`show the details of ${plural}: spec, conditions, the last operation and events`)
    .argument('<names...>', `names of ${plural}`)
    .action(async (names) => {
      const { describeObjects } = await import('../resources/describe.ts');
      await describeObjects(context, program.opts(), kind, names);
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
    .argument('<names...>', 'names of the objects to delete')
    .addOption(yesOption())
    .addOption(waitOption('the operation is complete'))
    .addOption(noWaitOption())
    .addOption(dryRunOption())
    .addOption(timeoutOption('15m'))
    .action(async (names, options) => {
      const { deleteObjects } = await import('../resources/delete.ts');
      await deleteObjects(context, program.opts(), kind, names, options);
    });
}
