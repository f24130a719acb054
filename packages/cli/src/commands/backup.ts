import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { timeoutOption } from '../command/options.ts';

const PASSPHRASE = 'file that holds the passphrase; else FAIRWAY_BACKUP_PASSPHRASE';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description("write all of Fairway's objects, with the clusters' keys, into one encrypted file")
    .option('-o, --output <file>', 'the file, which must not be there yet; else fairway-TIME.backup in this folder')
    .option('--pause', 'pause all clusters first, and wait until nothing is in progress: for moving to another Fairway')
    .option('--passphrase-file <file>', PASSPHRASE)
    .option('--insecure-plain-text', 'leave it unencrypted, as JSON lines: for looking into, never for keeping')
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
    .description('read a backup to its end, and say what it holds; asks no server')
    .argument('<file>', 'the backup')
    .addOption(new Option('--passphrase-file <file>', PASSPHRASE))
    .action(async (file, options, command) => {
      const { runVerify } = await import('../backup/run-backup.ts');
      await runVerify(context, file, { ...command.optsWithGlobals(), ...options });
    });
  program
    .command('restore')
    .description('make everything of a backup at another Fairway; safe to run again wherever it was cut off')
    .argument('<file>', 'the backup')
    .option('--dry-run', 'say what would be made and what is in the way, and change nothing')
    .option('--overwrite', 'let the backup count where an object is there already and differs')
    .option('--keep-paused', 'leave the clusters paused, to be looked at first')
    .option('--source-stopped', 'the Fairway that the backup is of runs no more: for backups without --pause')
    .option('--passphrase-file <file>', PASSPHRASE)
    .addHelpText(
      'after',
      '\nExample:\n  fairway install --kubeconfig management.yaml\n  fairway restore fairway.backup --kubeconfig management.yaml --passphrase-file passphrase',
    )
    .action(async (file, options) => {
      const { runRestore } = await import('../backup/restore/run-restore.ts');
      await runRestore(context, program.opts(), file, options);
    });
}
