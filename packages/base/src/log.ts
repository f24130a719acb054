/**
 * The logger interface of all packages; `service` implements it with pino. Messages are constant text with variables in fields, so lines can be
 * grouped. Levels: `error` requires the operator to act, `warn` may require it, `info` is a change of state, `debug` everything else.
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
