import { LOG_LEVELS, LOGGER_NAMES, parseLevelByName } from '@fairway/service/log-levels';
import { z } from 'zod';
import { parsedText, setting } from './setting.ts';

/** Log settings. */
export const LogSection = z.strictObject({
  level: setting(z.enum(LOG_LEVELS), {
    description: 'log level; logs are JSON lines on stderr',
    allowed: 'debug, info, warn or error',
    default: 'warn',
    option: 'logLevel',
  }),
  levels: setting(
    // A mapping in a file, a list in the environment.
    z.union([
      z.partialRecord(z.enum(LOGGER_NAMES), z.enum(LOG_LEVELS)),
      z.array(parsedText(parseLevelByName)).transform((levels) => Object.fromEntries(levels)),
    ]),
    {
      description: 'log levels of components that differ from `log.level`, such as `{openstack: debug}`',
      allowed: `a mapping of component names to levels (debug, info, warn or error): ${LOGGER_NAMES.join(', ')}`,
      defaultText: '`log.level`',
      option: 'logLevels',
    },
  ),
});
