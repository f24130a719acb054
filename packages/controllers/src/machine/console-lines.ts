import { stripVTControlCharacters } from 'node:util';

/** How much of a console is read, regardless of what the cloud returns. */
const MAX_INPUT_LENGTH = 32_768;
const MAX_LINE_COUNT = 10;
const MAX_LINE_LENGTH = 200;

/** Control, format (including bidirectional overrides) and lone surrogate characters. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]+/gu;
/** kubeadm's bootstrap tokens, as cloud-init prints them when it fails. */
const BOOTSTRAP_TOKEN = /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g;

/**
 * The last lines of a server's console, sanitised for display: a few short, plain lines that contain no bootstrap
 * token, regardless of what the server wrote.
 */
export function consoleLines(output: string): readonly string[] {
  return stripVTControlCharacters(output.slice(-MAX_INPUT_LENGTH))
    .split(/\r\n|\r|\n/)
    .map((line) => line.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(BOOTSTRAP_TOKEN, '…').trim())
    .filter((line) => line !== '')
    .slice(-MAX_LINE_COUNT)
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
}

/** As many of the last lines as fit, joined into one. */
export function lastLines(lines: readonly string[], maxLength: number): string {
  let text = '';
  for (const line of lines.toReversed()) {
    const combined = text === '' ? line : `${line} | ${text}`;
    if (combined.length > maxLength) break;
    text = combined;
  }
  return text;
}
