import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from '@fairway/service/command-error';

/** Prompts on standard error, because standard output is for results. A hidden answer is not echoed. */
export async function askOnTerminal(question: string, isHidden: boolean, signal: AbortSignal): Promise<string> {
  const { stdin: input, stderr } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: isHidden ? silent : stderr, terminal: true });
  // In raw mode, Ctrl-C is a key press. Sent as a signal, it ends the command as usual.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const left = Promise.withResolvers<never>();
  terminal.on('close', () => left.reject(new CommandError('nothing was entered')));
  left.promise.catch(() => {});
  try {
    if (isHidden) stderr.write(question);
    const answer = await Promise.race([terminal.question(isHidden ? '' : question, { signal }), left.promise]);
    return answer;
  } finally {
    if (isHidden) stderr.write('\n');
    terminal.close();
  }
}
