/**
 * The logger interface of all rooms; `service` implements it with pino. Messages are constant text and variables go into fields, so
 * that lines can be grouped. Levels: `error` needs an operator, `warn` may need one, `info` is a change of state, `debug` the rest.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
