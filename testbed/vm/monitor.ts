import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/*
 * Sends QMP commands to qemu one after another, and fails with the first error. Usage: monitor.ts SOCKET COMMAND...
 */

interface Reply {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

const [socketPath = '', ...commands] = process.argv.slice(2);
const socket = connect(socketPath);
const pending = ['{"execute":"qmp_capabilities"}', ...commands];

for await (const line of createInterface({ input: socket })) {
  const reply = JSON.parse(line) as Reply & { readonly QMP?: unknown };
  if (reply.error) {
    process.stderr.write(`qemu: ${reply.error.desc}\n`);
    process.exitCode = 1;
    break;
  }
  // Events may arrive between replies.
  if (!('QMP' in reply) && !('return' in reply)) continue;
  const next = pending.shift();
  if (next === undefined) break;
  socket.write(next);
}
socket.destroy();
