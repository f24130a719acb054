import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { Home } from '@fairway/service/up/home';

/** Options of `up` for a Fairway on the simulated cloud, in this process, on a free port. */
export function upCommand(home: Home) {
  return {
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: undefined,
    latency: 'none' as const,
    defaultImage: undefined,
    version: '0.0.0',
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  };
}
