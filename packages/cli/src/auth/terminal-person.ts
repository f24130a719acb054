import { spawn } from 'node:child_process';
import { type Person, SignInError } from '@fairway/openstack/sign-in/person';
import type { CliContext } from '../command/context.ts';
import { printable } from '../output/printable.ts';

/** The person at the terminal; `isInteractive` is true if standard input is theirs. */
export function terminalPerson(
  { ask, stderr, env }: Pick<CliContext, 'ask' | 'stderr' | 'env'>,
  isInteractive: boolean,
): Person {
  const promptUser = (question: string, isHidden: boolean): Promise<string> => {
    if (ask !== undefined && isInteractive) return ask(question, isHidden);
    const missing = question.replace(/: $/, '');
    return Promise.reject(
      new SignInError(`${missing}: it is not configured, and there is no terminal to ask on`, {
        advice:
          'run "fairway auth login" with the same options on a terminal first: the token is stored until it expires; or set it in secure.yaml or an OS_ variable',
      }),
    );
  };
  return {
    ask: (question) => promptUser(question, false),
    askSecret: (question) => promptUser(question, true),
    canRead: stderr.isTerminal || (ask !== undefined && isInteractive),
    show: (text) => stderr.write(printable(text)),
    openBrowser: (url) => openBrowser(url, env),
  };
}

/** Opens the browser set in BROWSER or the desktop's default browser, if there is one. */
function openBrowser(url: string, env: CliContext['env']): void {
  const page = URL.parse(url);
  if (page === null || !/^https?:$/.test(page.protocol)) return;
  const command = browserCommand(env);
  if (command === undefined) return;
  const child = spawn(command, [page.href], { detached: true, stdio: 'ignore' });
  // The address has also been printed.
  child.on('error', () => {});
  child.unref();
}

function browserCommand(env: CliContext['env']): string | undefined {
  if (env['BROWSER']) return env['BROWSER'];
  if (process.platform === 'darwin') return 'open';
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined;
}
