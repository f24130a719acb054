import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

/** `fairway limits`. */
export function addLimitsCommand(program: Command, context: CliContext): void {
  program
    .command('limits')
    .description(
      'show what plans do not support, why, and what to use instead; or print the page of service limitations',
    )
    .argument('[cluster]', 'name of a cluster, for the limits of its plan; default: all plans that you can read')
    .addOption(new Option('--plan <name>', 'show only the limits of this plan'))
    .addOption(
      new Option('--markdown', 'print the page of service limitations in Markdown').conflicts(['html', 'output']),
    )
    .addOption(new Option('--html', 'print the page of service limitations as an HTML document').conflicts('output'))
    .addOption(new Option('--brand <name>', "the cloud's name in sentences").default('this cloud'))
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .addHelpText(
      'after',
      '\nExamples:\n  fairway limits demo\n  fairway limits --plan free -o wide\n  fairway limits --html --brand "Example Cloud" > limits.html',
    )
    .action(async (cluster, options) => {
      const { listLimits } = await import('../limits/list-limits.ts');
      await listLimits(context, program.opts(), cluster, options);
    });
}
