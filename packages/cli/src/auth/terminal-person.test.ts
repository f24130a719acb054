import { expect, test } from 'vitest';
import { terminalPerson } from './terminal-person.ts';

test.each(['no address', 'javascript:alert(1)', 'file:///etc/passwd', '-e'])(
  'does not open a browser for anything but a web page: %s',
  (url) => {
    const stderr = { write: () => {}, isTerminal: true, columns: 80 };
    const person = terminalPerson({ stderr, env: { BROWSER: '/does/not/exist' } } as never, true);

    expect(() => person.openBrowser(url)).not.toThrow();
  },
);
