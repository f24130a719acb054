import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, type Words } from './shell-words.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A command in documentation or messages. */
export interface DocumentedCommand {
  /** File and line. */
  readonly where: string;
  readonly words: Words;
  /** A command's name in running text, such as `fairway cluster create`, may lack its arguments. */
  readonly isMention: boolean;
}

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'testbed/*/README.md', 'bench/**/*.md'];
const SOURCES = ['packages/*/src/**/*.{ts,tsx}', 'examples/**/*.{yaml,tf}', 'deploy/**/*.{yaml,conf,service}'];
/** History, and usages of all commands. */
const NOT_TO_RUN = ['CHANGELOG.md', 'docs/decisions/**', 'docs/cli.md'];
/** Files about invalid commands, and text that only looks like a command. */
const NOT_FOR_PEOPLE = ['**/*.test.ts', '**/suggest-command.ts', '**/completion/**', '**/off-host/sealing.ts'];

/** All command lines of `fairway` and `kubectl` in documents, and in Fairway's messages. */
export function documentedCommands(): readonly DocumentedCommand[] {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const documents = globSync(DOCUMENTS, { cwd: ROOT, exclude: NOT_TO_RUN });
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: NOT_FOR_PEOPLE });
  return [
    ...documents.flatMap((path) => inDocument(path, read(path))),
    ...sources.flatMap((path) => inSource(path, read(path))),
  ];
}

const STARTS = /^(?:fairway|kubectl) [a-z-]/;

/** Code blocks, and text in backticks. Pure. */
export function inDocument(path: string, text: string): readonly DocumentedCommand[] {
  const told: DocumentedCommand[] = [];
  let isBlock = false;
  let before = '';
  for (const [index, line] of text.split('\n').entries()) {
    const where = `${path}:${index + 1}`;
    if (line.trimStart().startsWith('```')) {
      isBlock = !isBlock;
    } else if (isBlock && line.endsWith('\\')) {
      before += `${line.slice(0, -1)} `;
    } else if (isBlock) {
      told.push(...commandsIn(before + line, where, false));
      before = '';
    } else {
      for (const [, mention, quoted = ''] of line.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
        const span = mention ?? quoted;
        if (STARTS.test(span)) told.push(...commandsIn(span, where, mention !== undefined));
      }
    }
  }
  return told;
}

const INTERPOLATION = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
const QUOTED = /(["'`]) *((?:fairway|kubectl) [a-z](?:\\.|(?!\1)[^\\\n])*)\1/g;
/** `to have it replaced: fairway machine delete NAME`. */
const AFTER_COLON = /(?<=: )(?:fairway|kubectl) [a-z][^;"'`]*/g;

/** Quoted text that begins like a command: messages have commands in quotes. Pure. */
export function inSource(path: string, text: string): readonly DocumentedCommand[] {
  const lines = text.replaceAll(INTERPOLATION, 'NAME').split('\n');
  return lines.flatMap((line, index) => {
    const isComment = /^\s*(?:\/?\*|\/\/|#)/.test(line);
    const quoted = [...line.matchAll(QUOTED)].map(([, , command = '']) => command.replaceAll(/\\(["'`])/g, '$1'));
    const plain = isComment ? [] : [...line.matchAll(AFTER_COLON)].map(([command]) => command);
    return [...quoted, ...plain].flatMap((command) =>
      commandsIn(command.split('\\n')[0] ?? '', `${path}:${index + 1}`, isComment),
    );
  });
}

function commandsIn(line: string, where: string, isMention: boolean): readonly DocumentedCommand[] {
  const commands = commandsOf(line).filter(([program]) => program === 'fairway' || program === 'kubectl');
  return commands.map((words) => ({ where, words, isMention }));
}
