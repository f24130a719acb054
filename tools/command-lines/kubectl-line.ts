import { spawnSync } from 'node:child_process';
import type { Words } from './shell-words.ts';

/** Whether each option takes a value as a separate word. */
type Options = ReadonlyMap<string, boolean>;

interface Help {
  readonly options: Options;
  readonly commands: ReadonlySet<string>;
}

/**
 * The verbs and options that a kubectl binary supports, according to its help output. No command other than its help is
 * executed.
 */
export class KubectlLines {
  readonly #path: string;
  readonly #helpByVerbs = new Map<string, Help | undefined>();
  readonly #globalOptions: Options;

  constructor(path: string) {
    this.#path = path;
    this.#globalOptions = optionsIn(this.#runKubectl('options') ?? '');
  }

  /** The error in a line; undefined if the line is valid. */
  problem([, ...words]: Words): string | undefined {
    const verbs: string[] = [];
    const positional: string[] = [];
    const used = new Set<string>();
    let help: Help = { options: new Map(), commands: new Set() };
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? '';
      if (word === '--') break;
      if (!word.startsWith('-') || word === '-') {
        if (positional.length > 0 || (verbs.length > 0 && !help.commands.has(word))) {
          positional.push(word);
          continue;
        }
        verbs.push(word);
        const found = this.#help(verbs);
        if (found === undefined) return `kubectl has no command ${verbs.join(' ')}`;
        help = found;
        continue;
      }
      const name = word.split('=')[0] ?? '';
      const takesValue = help.options.get(name) ?? this.#globalOptions.get(name);
      if (takesValue === undefined) return `kubectl ${verbs.join(' ')} has no option ${name}`;
      used.add(name);
      if (takesValue && !word.includes('=')) at += 1;
    }
    const isWatch = verbs[0] === 'get' && (used.has('-w') || used.has('--watch'));
    return isWatch && positional[0]?.includes(',') ? 'kubectl watches one kind at a time' : undefined;
  }

  #help(verbs: readonly string[]): Help | undefined {
    const key = verbs.join(' ');
    if (!this.#helpByVerbs.has(key)) {
      const text = this.#runKubectl(...verbs, '--help');
      this.#helpByVerbs.set(
        key,
        text === undefined ? undefined : { options: optionsIn(text), commands: commandsIn(text) },
      );
    }
    return this.#helpByVerbs.get(key);
  }

  #runKubectl(...args: readonly string[]): string | undefined {
    const { status, stdout } = spawnSync(this.#path, args, { encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  }
}

/** Matches `-o, --output='':`; a switch ends in `=false` or `=true`. */
function optionsIn(help: string): Options {
  const options = new Map<string, boolean>();
  for (const [, short, long = '', value = ''] of help.matchAll(/^ +(?:(-\w), )?(--[\w-]+)=(.*):$/gm)) {
    const takesValue = value !== 'false' && value !== 'true' && long !== '--dry-run';
    options.set(long, takesValue);
    if (short !== undefined) options.set(short, takesValue);
  }
  return options;
}

function commandsIn(help: string): ReadonlySet<string> {
  const [, list = ''] = /^Available Commands:\n((?: .*\n)*)/m.exec(help) ?? [];
  return new Set([...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name));
}
