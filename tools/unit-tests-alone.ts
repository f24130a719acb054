import programs from 'node:child_process';
import { Socket as DatagramSocket } from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import { expect } from 'vitest';

// Unit tests are self-contained: a test that opens a socket or starts a program belongs in `src/behaviour/` of its package.

type Method = ((this: unknown, ...args: unknown[]) => unknown) & { readonly [GUARDED]?: true };

/** Setup runs again for each file in a thread. */
const GUARDED = Symbol.for('fairway.guarded');

function refuse(owner: object, names: readonly string[], action: string): void {
  const methods = owner as Record<string, Method>;
  for (const name of names) {
    const original = methods[name] as Method;
    if (original[GUARDED]) continue;
    const guarded = function (this: unknown, ...args: unknown[]) {
      const { testPath = '' } = expect.getState();
      if (isUnit(testPath)) throw new Error(`${testPath} ${action}: it belongs to src/behaviour/ of its package`);
      return original.apply(this, args);
    };
    methods[name] = Object.assign(guarded, { [GUARDED]: true as const });
  }
}

/** Tests in tools check documents using the binaries that those documents mention. */
function isUnit(path: string): boolean {
  return path.includes('/packages/') && !path.includes('/src/behaviour/');
}

refuse(Server.prototype, ['listen'], 'listens on a socket');
refuse(Socket.prototype, ['connect'], 'opens a socket');
refuse(DatagramSocket.prototype, ['bind'], 'opens a socket');
refuse(programs, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'], 'starts a program');
syncBuiltinESMExports();
