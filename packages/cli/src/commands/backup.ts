import { DEFAULT_BACKUP_KEEP } from '@fairway/service/backup/backup-schedule';
import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { timeoutOption, wholeNumber } from '../command/options.ts';

const PASSPHRASE = 'file with the passphrase; default: FAIRWAY_BACKUP_PASSPHRASE';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description("write all of Fairway's objects, with the clusters' keys, into one encrypted file")
    .option('-o, --output <file>', 'the file, which must not exist yet; default: fairway-TIME.backup in this folder')
    .option('--off-host <file>', 'put it into the object store that this YAML describes, in place of a file')
    .addOption(
      new Option('--keep <count>', 'how many backups the object store keeps; older ones are deleted')
        .argParser(wholeNumber(1))
        .default(DEFAULT_BACKUP_KEEP),
    )
    .option('--pause', 'pause all clusters first, and wait until nothing is in progress: for moving to another Fairway')
    .option('--passphrase-file <file>', PASSPHRASE)
    .option('--insecure-plain-text', 'leave it unencrypted, as JSON lines: for inspection, never for storage')
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
    .description('verify a backup and print what it contains; needs no server')
    .argument('<file>', 'the backup')
    .addOption(new Option('--passphrase-file <file>', PASSPHRASE))
    .action(async (file, options, command) => {
      const { runVerify } = await import('../backup/run-backup.ts');
      await runVerify(context, file, { ...command.optsWithGlobals(), ...options });
    });
  program
    .command('restore')
    .description('restore a backup to another Fairway; safe to run again after an interruption')
    .argument('<file>', 'the backup; off-host:latest or off-host:NAME for one in an object store')
    .option('--off-host <file>', 'YAML with that object store')
    .option('--dry-run', 'print what would be created and what conflicts, and change nothing')
    .option('--overwrite', 'let the backup count where an object already exists and differs')
    .option('--keep-paused', 'leave the clusters paused, to be checked first')
    .option('--source-stopped', 'the Fairway that was backed up is permanently stopped: for backups without --pause')
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
    .description('bring the databases of all clusters back from an object store, on a machine that has lost them')
    .requiredOption('--off-host <file>', 'YAML with the object store (docs/operators/disaster.md)')
    .option('--home <dir>', 'folder for all state; default: FAIRWAY_HOME, else ./.fairway')
    .option('--snapshots <folder>', 'folder for snapshots, as of "fairway up"; default: in the home')
    .option('--list', 'only print what the object store holds')
    .action(async (options) => {
      const { runRecover } = await import('../backup/run-recover.ts');
      await runRecover(context, options);
    });
}
