import { DEFAULT_BACKUP_KEEP } from '@fairway/service/backup/backup-schedule';
import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { timeoutOption, wholeNumber } from '../command/options.ts';

const PASSPHRASE = 'file with the passphrase; default: FAIRWAY_BACKUP_PASSPHRASE';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description("write all of Fairway's objects, including the clusters' keys, to one encrypted file")
    .option(
      '-o, --output <file>',
      'output file, which must not exist yet; default: fairway-TIME.backup in the current folder',
    )
    .option(
      '--off-host <file>',
      'upload the backup to the object store that this YAML file describes, instead of writing a file',
    )
    .addOption(
      new Option('--keep <count>', 'number of backups to keep in the object store; older ones are deleted')
        .argParser(wholeNumber(1))
        .default(DEFAULT_BACKUP_KEEP),
    )
    .option(
      '--pause',
      'pause all clusters first and wait until nothing is in progress; for a move to another Fairway installation',
    )
    .option('--passphrase-file <file>', PASSPHRASE)
    .option('--insecure-plain-text', 'write unencrypted JSON lines; for inspection, never for storage')
    .addOption(timeoutOption('2m'))
    .addHelpText(
      'after',
      '\nExample:\n  openssl rand -base64 24 > passphrase\n  fairway backup --pause -o fairway.backup --passphrase-file passphrase',
    )
    .action(async (options) => {
      const { runBackup } = await import('../backup/run-backup.ts');
      await runBackup(context, program.opts(), options);
    });
  backup
    .command('verify')
    .description('verify a backup and print its contents; requires no server')
    .argument('<file>', 'file with the backup')
    .addOption(new Option('--passphrase-file <file>', PASSPHRASE))
    .action(async (file, options, command) => {
      const { runVerify } = await import('../backup/run-backup.ts');
      await runVerify(context, file, { ...command.optsWithGlobals(), ...options });
    });
  program
    .command('restore')
    .description('restore a backup to another Fairway installation; safe to run again after an interruption')
    .argument('<file>', 'file with the backup, or off-host:latest or off-host:NAME for a backup in an object store')
    .option('--off-host <file>', 'YAML file that describes the object store')
    .option('--dry-run', 'print what would be created and what conflicts, without changing anything')
    .option('--overwrite', 'overwrite existing objects that differ from the backup')
    .option('--keep-paused', 'leave the clusters paused so that you can check them first')
    .option(
      '--source-stopped',
      'confirm that the Fairway installation that was backed up is permanently stopped; for backups made without --pause',
    )
    .option('--passphrase-file <file>', PASSPHRASE)
    .addHelpText(
      'after',
      '\nExample:\n  fairway install --kubeconfig management.yaml\n  fairway restore fairway.backup --kubeconfig management.yaml --passphrase-file passphrase',
    )
    .action(async (file, options) => {
      const { runRestore } = await import('../backup/restore/run-restore.ts');
      await runRestore(context, program.opts(), file, options);
    });
  program
    .command('recover')
    .description(
      'restore the databases of all clusters from an object store, on a machine that has lost these databases',
    )
    .requiredOption('--off-host <file>', 'YAML file that describes the object store (docs/operators/disaster.md)')
    .option('--home <dir>', 'folder for all state; default: FAIRWAY_HOME, else ./.fairway')
    .option('--snapshots <folder>', 'folder for snapshots, as for "fairway up"; default: a folder in the home folder')
    .option('--list', 'only print the contents of the object store')
    .action(async (options) => {
      const { runRecover } = await import('../backup/run-recover.ts');
      await runRecover(context, options);
    });
}
