import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, type Words } from './shell-words.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A command in documentation or messages. */
export interface DocumentedCommand {
  /** The file and line. */
  readonly location: string;
  readonly words: Words;
  /** A command's name in running text, such as `fairway cluster create`, may lack its arguments. */
  readonly isMention: boolean;
}

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'testbed/*/README.md', 'bench/**/*.md'];
const SOURCES = ['packages/*/src/**/*.{ts,tsx}', 'examples/**/*.{yaml,tf}', 'deploy/**/*.{yaml,conf,service}'];
/** Excludes the changelog, the decisions, and the usage text of all commands. */
const EXCLUDED_DOCUMENTS = ['CHANGELOG.md', 'docs/decisions/**', 'docs/cli.md'];
/** Excludes files about invalid commands, or with text that only looks like a command. */
const EXCLUDED_SOURCES = ['**/*.test.ts', '**/suggest-command.ts', '**/completion/**', '**/off-host/sealing.ts'];

/** All `fairway` and `kubectl` command lines in documents, and in Fairway's messages. */
export function documentedCommands(): readonly DocumentedCommand[] {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const documents = globSync(DOCUMENTS, { cwd: ROOT, exclude: EXCLUDED_DOCUMENTS });
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: EXCLUDED_SOURCES });
  return [
    ...documents.flatMap((path) => commandsInDocument(path, read(path))),
    ...sources.flatMap((path) => commandsInSource(path, read(path))),
  ];
}

const COMMAND_START = /^(?:fairway|kubectl) [a-z-]/;

/** Finds commands in code blocks and in backticks. Pure. */
export function commandsInDocument(path: string, text: string): readonly DocumentedCommand[] {
  const commands: DocumentedCommand[] = [];
  let isBlock = false;
  let before = '';
  for (const [index, line] of text.split('\n').entries()) {
    const location = `${path}:${index + 1}`;
    if (line.trimStart().startsWith('```')) {
      isBlock = !isBlock;
    } else if (isBlock && line.endsWith('\\')) {
      before += `${line.slice(0, -1)} `;
    } else if (isBlock) {
      commands.push(...commandsIn(before + line, location, false));
      before = '';
    } else {
      for (const [, mention, quoted = ''] of line.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
        const span = mention ?? quoted;
        if (COMMAND_START.test(span)) commands.push(...commandsIn(span, location, mention !== undefined));
      }
    }
  }
  return commands;
}

const INTERPOLATION = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
const QUOTED = /(["'`]) *((?:fairway|kubectl) [a-z](?:\\.|(?!\1)[^\\\n])*)\1/g;
/** For example `to have it replaced: fairway machine delete NAME`. */
const AFTER_COLON = /(?<=: )(?:fairway|kubectl) [a-z][^;"'`]*/g;

/** Finds commands in quoted text that starts like a command: messages have commands in quotes. Pure. */
export function commandsInSource(path: string, text: string): readonly DocumentedCommand[] {
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

function commandsIn(line: string, location: string, isMention: boolean): readonly DocumentedCommand[] {
  const commands = commandsOf(line).filter(([program]) => program === 'fairway' || program === 'kubectl');
  return commands.map((words) => ({ location: location, words, isMention }));
}
