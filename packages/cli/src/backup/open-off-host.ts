import type { Clock } from '@fairway/base/clock';
import { type OffHost, openOffHost as openFile } from '@fairway/control-plane/off-host/off-host-settings';
import { usageError } from '@fairway/service/command-error';

/** Opens the object store described by a settings file. Throws a CommandError. */
export function openOffHost(path: string, clock: Clock): OffHost {
  try {
    return openFile(path, clock);
  } catch (error) {
    throw usageError(`--off-host: ${(error as Error).message}`, 'see docs/operators/disaster.md', error);
  }
}
