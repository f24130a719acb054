import { openSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';

/*
 * A complete Fairway for tests to kill. It loads, reports that, and waits for a start message, so that tests measure
 * and interrupt Fairway itself, not the loading of its source.
 */

/** Messages of the process to its parent. */
export type ChildMessage =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Messages from the parent: where to run, and on which cloud. `OS_CLIENT_CONFIG_FILE` is the path of the clouds.yaml.
 */
export interface StartMessage {
  readonly home: string;
  readonly cloud: string;
  readonly settleMs: number;
}

function send(message: ChildMessage): void {
  process.send?.(message);
}

/**
 * Logs JSON lines synchronously: a line is in the file by the time the call returns, so a killed process has recorded
 * everything that it did.
 */
function fileLogger(file: number, context: object = {}): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    const { err, ...rest } = fields as { err?: unknown };
    const failure = err instanceof Error ? { err: err.stack } : err === undefined ? {} : { err };
    const line = { at: new Date().toISOString(), pid: process.pid, level, message, ...context, ...rest, ...failure };
    writeSync(file, `${JSON.stringify(line)}\n`);
  };
  return {
    debug() {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => fileLogger(file, { ...context, ...fields }),
  };
}

process.once('message', (start: StartMessage) => {
  const home = new Home(start.home);
  home.create();
  up({
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: start.cloud,
    latency: 'none',
    defaultImage: undefined,
    version: '0.0.0',
    clock: systemClock,
    random: Math.random,
    log: fileLogger(openSync(join(start.home, 'log'), 'a')),
    settleMs: start.settleMs,
  }).then(
    ({ url }) => send({ kind: 'serving', url }),
    (error: unknown) => send({ kind: 'failed', message: error instanceof Error ? (error.stack ?? '') : String(error) }),
  );
});
// If the parent dies, this Fairway exits too.
process.once('disconnect', () => process.exit());
// The process will be killed before it can delete the directory itself.
flushCompileCache();
send({ kind: 'loaded' });
