import type { Logger } from '@fairway/base/log';
import { OBSERVERS } from '@fairway/cloud-provider/standalone/standalone';
import { CLOUD_PROVIDER } from '@fairway/cloud-provider/start';
import { CONTROLLERS } from '@fairway/controllers/start';
import { expect, test } from 'vitest';
import { type LevelsByName, LOGGING_CONTROLLERS, type LogLevel, LogLevels, logOf } from './log-levels.ts';
import { createLogger } from './logger.ts';

/** A logger whose lines are recorded as `message fields…`. */
function listening(level: LogLevel, byName: LevelsByName = {}) {
  const lines: Record<string, unknown>[] = [];
  const levels = new LogLevels(level, byName);
  const log = createLogger(levels, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, levels, said: () => lines.splice(0).map(({ msg }) => msg) };
}

function sayAll(log: Logger): void {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
}

test('every controller of Fairway has a name', () => {
  const declared = [...CONTROLLERS, ...CLOUD_PROVIDER, ...OBSERVERS].map(({ name }) => name);

  expect(declared.toSorted((a, b) => a.localeCompare(b))).toEqual(LOGGING_CONTROLLERS);
});

test('without names, all loggers share one level', () => {
  const { log, said } = listening('warn');
  sayAll(log);
  sayAll(logOf(log, 'openstack'));

  expect(said()).toEqual(['warn', 'error', 'warn', 'error']);
});

test.each([
  { reason: 'a part by its name', of: (log: Logger) => logOf(log, 'openstack'), says: 4 },
  { reason: 'what it makes of it', of: (log: Logger) => logOf(log, 'openstack').child({ cloud: 'mine' }), says: 4 },
  { reason: 'a controller by its own name', of: (log: Logger) => log.child({ controller: 'machine' }), says: 4 },
  { reason: 'a controller by that of all', of: (log: Logger) => log.child({ controller: 'cluster' }), says: 1 },
  { reason: 'what controllers share', of: (log: Logger) => logOf(log, 'controllers'), says: 1 },
  {
    reason: 'a controller of the embedded API',
    of: (log: Logger) => logOf(log, 'api').child({ controller: 'gc' }),
    says: 2,
  },
  { reason: 'what has no name', of: (log: Logger) => log.child({ cluster: 'team/demo' }), says: 2 },
])('a level by name is for $reason', ({ of, says }) => {
  const { log, said } = listening('warn', {
    openstack: 'debug',
    controllers: 'error',
    'controllers/machine': 'debug',
  });
  sayAll(of(log));

  expect(said()).toHaveLength(says);
});

test('a change affects existing loggers', () => {
  const { log, levels, said } = listening('warn');
  const openstack = logOf(log, 'openstack');
  sayAll(openstack);
  expect(said()).toEqual(['warn', 'error']);

  levels.set('error', { openstack: 'info' });
  sayAll(log);
  sayAll(openstack);
  expect(said()).toEqual(['error', 'info', 'warn', 'error']);
});
