import { readFileSync } from 'node:fs';
import {
  type NodeSettings,
  NodeSettingsError,
  parseNodeSettings,
} from '@fairway/control-plane/bootstrap/node-settings';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';

/** Reads the file named by `--node-settings`. Throws a CommandError that names the file and the invalid field. */
export function readNodeSettings(path: string): NodeSettings {
  try {
    return parseNodeSettings(readFileSync(path, 'utf8'));
  } catch (cause) {
    const isKnown = cause instanceof NodeSettingsError || (cause as NodeJS.ErrnoException).code !== undefined;
    if (!isKnown) throw cause;
    const { message } = cause as Error;
    throw new CommandError(`--node-settings ${path}: ${message}`, { exitCode: ExitCode.Usage, cause });
  }
}
