import type { Logger } from '@fairway/base/log';
import { OBSERVERS } from '@fairway/cloud-provider/standalone/standalone';
import { CLOUD_PROVIDER_CONTROLLERS } from '@fairway/cloud-provider/start';
import { CONTROLLERS } from '@fairway/controllers/start';
import { expect, test } from 'vitest';
import { FAIRWAY_CONTROLLERS, type LevelsByName, type LogLevel, LogLevels, logFor } from './log-levels.ts';
import { createLogger } from './logger.ts';

/** A logger whose lines are recorded as `message fields…`. */
function recordingLogger(level: LogLevel, byName: LevelsByName = {}) {
  const lines: Record<string, unknown>[] = [];
  const levels = new LogLevels(level, byName);
  const log = createLogger(levels, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, levels, said: () => lines.splice(0).map(({ msg }) => msg) };
}

function logAtAllLevels(log: Logger): void {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
}

test('has a name for every controller of Fairway', () => {
  const levelsByName = [...CONTROLLERS, ...CLOUD_PROVIDER_CONTROLLERS, ...OBSERVERS].map(({ name }) => name);

  expect(levelsByName.toSorted((a, b) => a.localeCompare(b))).toEqual(FAIRWAY_CONTROLLERS);
});

test('applies one level to all loggers without names', () => {
  const { log, said } = recordingLogger('warn');
  logAtAllLevels(log);
  logAtAllLevels(logFor(log, 'openstack'));

  expect(said()).toEqual(['warn', 'error', 'warn', 'error']);
});

test.each([
  { reason: 'a component by its name', of: (log: Logger) => logFor(log, 'openstack'), says: 4 },
  {
    reason: 'children of a component',
    of: (log: Logger) => logFor(log, 'openstack').child({ cloud: 'mine' }),
    says: 4,
  },
  { reason: 'a controller by its own name', of: (log: Logger) => log.child({ controller: 'machine' }), says: 4 },
  {
    reason: 'a controller by the name of all controllers',
    of: (log: Logger) => log.child({ controller: 'cluster' }),
    says: 1,
  },
  { reason: 'code that controllers share', of: (log: Logger) => logFor(log, 'controllers'), says: 1 },
  {
    reason: 'a controller of the embedded API',
    of: (log: Logger) => logFor(log, 'api').child({ controller: 'gc' }),
    says: 2,
  },
  { reason: 'unnamed loggers', of: (log: Logger) => log.child({ cluster: 'team/demo' }), says: 2 },
])('applies a level by name to $reason', ({ of, says }) => {
  const { log, said } = recordingLogger('warn', {
    openstack: 'debug',
    controllers: 'error',
    'controllers/machine': 'debug',
  });
  logAtAllLevels(of(log));

  expect(said()).toHaveLength(says);
});

test('applies a change to existing loggers', () => {
  const { log, levels, said } = recordingLogger('warn');
  const openstack = logFor(log, 'openstack');
  logAtAllLevels(openstack);
  expect(said()).toEqual(['warn', 'error']);

  levels.set('error', { openstack: 'info' });
  logAtAllLevels(log);
  logAtAllLevels(openstack);
  expect(said()).toEqual(['error', 'info', 'warn', 'error']);
});
