import { parseDurationMs } from '../duration.ts';
import { expandWord } from './expand-word.ts';
import { type Command, parseScript, type Redirection, type Script, UnsupportedScriptError } from './parse-script.ts';

export type Files = Pick<ReadonlySet<string>, 'has'>;

/** The environment of a container's program. */
export interface ProgramEnvironment {
  /** Value of a variable; undefined if it is unknown here. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** Whether other variables may exist. */
  readonly hasUnknownVariables: boolean;
  /**
   * The key under which a file outlives the container: the volume and the file's path on it. Undefined outside volumes
   * with known content.
   */
  readonly fileAt: (path: string) => string | undefined;
  /** Keys of files that exist when it starts. */
  readonly files: Files;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface EndState {
  /** Undefined for never. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
  /** Files that it creates. */
  readonly touchedFiles: readonly string[];
  /** The last part of its output; undefined if unknown. */
  readonly printed: string | undefined;
  /** Known contents of files that it writes, by path. */
  readonly written: ReadonlyMap<string, string>;
  /** Whether the result may differ at the next start. */
  readonly isRandom: boolean;
}

/** Maximum number of commands and of files named in them. */
const MAX_STEPS = 1000;
/** Maximum total length of expanded variables: a short script can expand a long variable many times. */
const MAX_EXPANDED_CHARS = 65_536;
/** Commands with unknown output that exit with 0. */
const SUCCEEDING_COMMANDS = new Set(['printf', 'date', 'env', 'hostname', 'uname', 'pwd', 'ls']);

/** How a script ends; undefined if it contains anything unsupported. */
export function runScript(text: string, isStrict: boolean, environment: ProgramEnvironment): EndState | undefined {
  return terminationOf(environment, (run) => run.script(parseScript(text)), isStrict);
}

/** How a program started without a shell ends. */
export function runProgram(words: readonly string[], environment: ProgramEnvironment): EndState | undefined {
  return terminationOf(environment, (run) => run.runProgram(words), false);
}

function terminationOf(
  environment: ProgramEnvironment,
  work: (run: Run) => number,
  isStrict: boolean,
): EndState | undefined {
  const run = new Run(environment, isStrict);
  try {
    return run.endState(work(run));
  } catch (error) {
    if (error instanceof UnsupportedScriptError) return undefined;
    if (!(error instanceof ScriptExit)) throw error;
    return run.endState(error.exitCode);
  }
}

/** Thrown to end a script with an exit code, or without one if the script runs forever. */
class ScriptExit extends Error {
  readonly exitCode: number | undefined;

  constructor(exitCode: number | undefined) {
    super();
    this.exitCode = exitCode;
  }
}

class Run {
  readonly #environment: ProgramEnvironment;
  readonly #isStrict: boolean;
  /** Files of the container itself, which are lost when the container exits. */
  readonly #ownFiles = new Set<string>();
  readonly #touchedFiles = new Set<string>();
  readonly #written = new Map<string, string>();
  /** Output of the current command. */
  #output: string | undefined = '';
  #printed: string | undefined = '';
  #elapsedMs = 0;
  #isRandom = false;
  #steps = 0;
  #expandedChars = 0;
  #status = 0;

  constructor(environment: ProgramEnvironment, isStrict: boolean) {
    this.#environment = environment;
    this.#isStrict = isStrict;
  }

  /** Returns its exit code; undefined if it runs forever. */
  endState(exitCode: number | undefined): EndState {
    return {
      exitAfterMs: exitCode === undefined ? undefined : this.#elapsedMs,
      exitCode: exitCode ?? 0,
      touchedFiles: [...this.#touchedFiles],
      printed: this.#printed,
      written: this.#written,
      isRandom: this.#isRandom,
    };
  }

  /** A program started without a shell. */
  runProgram(words: readonly string[]): number {
    const status = this.program(words);
    this.#print(this.#output);
    return status;
  }

  script(script: Script, isCondition = false): number {
    for (const [index, { command, after }] of script.entries()) {
      if (after === 'success' && this.#status !== 0) continue;
      if (after === 'failure' && this.#status === 0) continue;
      this.#status = this.#command(command);
      const isTested = isCondition || ['success', 'failure'].includes(script[index + 1]?.after ?? '');
      if (this.#isStrict && this.#status !== 0 && !isTested && command.kind !== 'not')
        throw new ScriptExit(this.#status);
    }
    return this.#status;
  }

  program([program = '', ...rest]: readonly string[]): number {
    this.#step();
    const name = program.slice(program.lastIndexOf('/') + 1);
    if (SUCCEEDING_COMMANDS.has(name)) {
      this.#output = undefined;
      return 0;
    }
    switch (name) {
      case 'true':
      case ':':
      case 'mkdir':
        return 0;
      case 'echo':
        this.#output = echoed(rest);
        return 0;
      case 'false':
        return 1;
      case 'exit':
        throw new ScriptExit(Number.parseInt(rest[0] ?? `${this.#status}`, 10) & 0xff);
      case 'set':
        return 0;
      case 'sleep':
        return this.#sleep(rest[0] ?? '');
      case 'touch':
        for (const path of rest) this.#create(path);
        return 0;
      case 'cat':
        this.#output = undefined;
        return rest.every((path) => this.#fileAt(path) === undefined || this.#hasFile(path)) ? 0 : 1;
      case 'test':
        return this.#test(rest) ? 0 : 1;
      case '[':
      case '[[':
        if (rest.at(-1) !== (name === '[' ? ']' : ']]')) throw new UnsupportedScriptError();
        return this.#test(rest.slice(0, -1)) ? 0 : 1;
      default:
        throw new UnsupportedScriptError();
    }
  }

  #command(command: Command): number {
    switch (command.kind) {
      case 'simple': {
        this.#output = '';
        const status = this.program(command.words.map((word) => this.#expand(word)));
        this.#redirect(command.redirections);
        return status;
      }
      case 'not':
        return this.#command(command.command) === 0 ? 1 : 0;
      case 'pipe': {
        const status = command.commands.reduce((_, each) => this.#command(each), 0);
        this.#printed = undefined;
        return status;
      }
      case 'if': {
        for (const { condition, body } of command.branches) {
          if (this.script(condition, true) === 0) return this.#body(body);
        }
        return this.#body(command.otherwise);
      }
    }
  }

  #body(script: Script): number {
    this.#status = 0;
    return this.script(script);
  }

  #sleep(argument: string): number {
    if (argument === 'infinity' || argument === 'inf') throw new ScriptExit(undefined);
    const ms = /^\d+(\.\d+)?$/.test(argument) ? Number(argument) * 1000 : parseDurationMs(argument);
    if (ms === undefined) throw new UnsupportedScriptError();
    this.#elapsedMs += ms;
    return 0;
  }

  /** Output goes to the redirection target; the last redirection takes precedence. */
  #redirect(redirections: readonly Redirection[]): void {
    const output = this.#output;
    let isPrinted = true;
    for (const { operator, target } of redirections) {
      const path = this.#expand(target);
      this.#create(path);
      if (operator.startsWith('2')) continue;
      isPrinted = false;
      const before = operator.endsWith('>>') ? (this.#written.get(path) ?? '') : '';
      if (output === undefined) this.#written.delete(path);
      else this.#written.set(path, lastOf(before + output));
    }
    if (isPrinted) this.#print(output);
  }

  #print(text: string | undefined): void {
    this.#printed = this.#printed === undefined || text === undefined ? undefined : lastOf(this.#printed + text);
  }

  #create(path: string): void {
    if (path === '/dev/null') return;
    const file = this.#fileAt(path);
    if (file === undefined) this.#ownFiles.add(path);
    else if (!this.#environment.files.has(file)) this.#touchedFiles.add(file);
  }

  #hasFile(path: string): boolean {
    if (this.#ownFiles.has(path)) return true;
    const file = this.#fileAt(path);
    // The content of an image is unknown.
    if (file === undefined) throw new UnsupportedScriptError();
    return this.#environment.files.has(file) || this.#touchedFiles.has(file);
  }

  #fileAt(path: string): string | undefined {
    this.#step();
    return this.#environment.fileAt(path);
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS) throw new UnsupportedScriptError();
  }

  #test(words: readonly string[]): boolean {
    const negations = words.findIndex((word) => word !== '!');
    if (negations > 0) return this.#test(words.slice(negations)) === (negations % 2 === 0);
    const [first = '', second = '', third = ''] = words;
    if (words.length === 1) return first !== '';
    if (words.length === 2) return this.#unary(first, second);
    if (words.length !== 3) throw new UnsupportedScriptError();
    switch (second) {
      case '=':
      case '==':
        return first === third;
      case '!=':
        return first !== third;
      default:
        return compare(second, Number(first), Number(third));
    }
  }

  #unary(operator: string, operand: string): boolean {
    switch (operator) {
      case '-n':
        return operand !== '';
      case '-z':
        return operand === '';
      case '-e':
      case '-f':
      case '-r':
        return this.#hasFile(operand);
      default:
        throw new UnsupportedScriptError();
    }
  }

  #expand(word: string): string {
    const { variables, hasUnknownVariables, random } = this.#environment;
    return expandWord(word, {
      variable: (name) => {
        const value = variables.get(name);
        if (value === undefined && (variables.has(name) || hasUnknownVariables)) throw new UnsupportedScriptError();
        this.#expandedChars += value?.length ?? 0;
        if (this.#expandedChars > MAX_EXPANDED_CHARS) throw new UnsupportedScriptError();
        return value ?? '';
      },
      random: () => {
        this.#isRandom = true;
        return Math.floor(random() * 32_768);
      },
    });
  }
}

/** Maximum retained output, and content per file: as much as a status can hold. */
const MAX_OUTPUT_CHARS = 4096;

function lastOf(text: string): string {
  return text.slice(-MAX_OUTPUT_CHARS);
}

/** What `echo` prints; undefined if the result depends on the shell. */
function echoed(words: readonly string[]): string | undefined {
  const isBare = words[0] === '-n';
  const text = words.slice(isBare ? 1 : 0).join(' ');
  if (/^-[eE]|\\/.test(text)) return undefined;
  return isBare ? text : `${text}\n`;
}

function compare(operator: string, a: number, b: number): boolean {
  if (!Number.isInteger(a) || !Number.isInteger(b)) throw new UnsupportedScriptError();
  switch (operator) {
    case '-eq':
      return a === b;
    case '-ne':
      return a !== b;
    case '-lt':
      return a < b;
    case '-le':
      return a <= b;
    case '-gt':
      return a > b;
    case '-ge':
      return a >= b;
    default:
      throw new UnsupportedScriptError();
  }
}
