import type { Logger } from '@fairway/base/log';
import { destination, pino, stdSerializers } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** JSON lines on stderr: stdout is for a command's result. */
export function createLogger(level: LogLevel): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: stdSerializers,
  };
  return pino(options, destination({ fd: 2, sync: true }));
}
