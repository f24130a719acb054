import { type LevelsByName, parseLevelByName } from '@fairway/service/log-levels';
import { InvalidArgumentError } from 'commander';

/** Parses `openstack=debug,gateway=info`. Throws InvalidArgumentError. */
export function collectLogLevels(text: string, before: LevelsByName | undefined): LevelsByName {
  try {
    return { ...before, ...Object.fromEntries(text.split(',').map(parseLevelByName)) };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
