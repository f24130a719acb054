import { Command, Option } from 'commander';
import type { CliContext } from './command/context.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addAuthCommands } from './commands/auth.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCloudCommands } from './commands/cloud.ts';
import { addCloudProviderCommand } from './commands/cloud-provider.ts';
import { addClusterCommands } from './commands/cluster.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addCredentialCommands } from './commands/credential.ts';
import { addCsiCommand } from './commands/csi.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addHollowNodesCommand } from './commands/hollow-nodes.ts';
import { addInstallCommand } from './commands/install.ts';
import { addKubeconfigCommand } from './commands/kubeconfig.ts';
import { addLimitsCommand } from './commands/limits.ts';
import { addMachineCommands } from './commands/machine.ts';
import { addNodePoolCommands } from './commands/node-pool.ts';
import { addOperationsCommand } from './commands/operations.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addReleasesCommands } from './commands/releases.ts';
import { addServeCommand } from './commands/serve.ts';
import { addUpCommand } from './commands/up.ts';
import { addUsageCommand } from './commands/usage.ts';
import { addVersionCommand } from './commands/version.ts';
import { addVersionsCommand } from './commands/versions.ts';

/**
 * The command tree. Building it loads only commander and descriptions; each command's implementation is loaded when it
 * runs.
 */
export function buildProgram(context: CliContext): Command {
  const program = new Command('fairway')
    .description('Managed Kubernetes for OpenStack clouds.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .option('--kubeconfig <file>', "kubeconfig for Fairway's API, instead of KUBECONFIG or FAIRWAY_HOME/kubeconfig")
    .option('--context <name>', 'context in the kubeconfig')
    .option('-n, --namespace <name>', 'namespace; default: the namespace of the context, else "default"')
    .addOption(new Option('--debug', 'show the stack trace of an error'));
  addUpCommand(program, context);
  addInstallCommand(program, context);
  addServeCommand(program, context);
  addClusterCommands(program, context);
  addNodePoolCommands(program, context);
  addMachineCommands(program, context);
  addPlanCommands(program, context);
  addLimitsCommand(program, context);
  addVersionsCommand(program, context);
  addOperationsCommand(program, context);
  addCloudCommands(program, context);
  addUsageCommand(program, context);
  addAuditCommand(program, context);
  addCredentialCommands(program, context);
  addKubeconfigCommand(program, context);
  addAuthCommands(program, context);
  addBackupCommands(program, context);
  addConfigCommands(program, context);
  addDoctorCommand(program, context);
  addCsiCommand(program, context);
  addCloudProviderCommand(program, context);
  addHollowNodesCommand(program, context);
  addReleasesCommands(program, context);
  addVersionCommand(program, context);
  addCompletionCommands(program, context);
  suggestOptionsOnly(program);
  return program;
}

/** For a mistyped command, `suggest-command.ts` suggests whole command lines. */
function suggestOptionsOnly(command: Command): void {
  command.showSuggestionAfterError(command.commands.length === 0);
  for (const child of command.commands) suggestOptionsOnly(child);
}
