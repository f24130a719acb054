import type { Logger } from '@fairway/base/log';
import { currentSpan } from '@fairway/base/tracing';
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdSerializers } from 'pino';
import { type LogLevels, loggerName } from './log-levels.ts';

/** Writes JSON lines to stderr by default: stdout is for a command's result. */
export function createLogger(
  levels: LogLevels,
  stream: DestinationStream = destination({ fd: 2, sync: true }),
): Logger {
  const options = {
    // NamedLogger has already applied the levels by name.
    level: 'debug',
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: stdSerializers,
    mixin: traceFields,
  };
  return new NamedLogger(pino(options, stream), levels, undefined);
}

/** Fields of lines that are logged within a trace. */
function traceFields(): object {
  const span = currentSpan();
  return span === undefined || span.isEnded ? {} : { trace_id: span.traceId };
}

/** Reads its level for each line, so a change affects existing loggers. */
class NamedLogger implements Logger {
  readonly #pino: PinoLogger;
  readonly #levels: LogLevels;
  readonly #name: string | undefined;

  constructor(out: PinoLogger, levels: LogLevels, name: string | undefined) {
    this.#pino = out;
    this.#levels = levels;
    this.#name = name;
  }

  debug(fields: object, message: string): void {
    if (this.#levels.isEnabled('debug', this.#name)) this.#pino.debug(fields, message);
  }

  info(fields: object, message: string): void {
    if (this.#levels.isEnabled('info', this.#name)) this.#pino.info(fields, message);
  }

  warn(fields: object, message: string): void {
    if (this.#levels.isEnabled('warn', this.#name)) this.#pino.warn(fields, message);
  }

  error(fields: object, message: string): void {
    this.#pino.error(fields, message);
  }

  child(fields: object): Logger {
    return new NamedLogger(this.#pino.child(fields), this.#levels, loggerName(this.#name, fields));
  }
}
