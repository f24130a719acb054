import { UnsupportedScriptError } from './parse-script.ts';

export interface Expansion {
  /** The value of a variable; throws UnsupportedScriptError if it is unknown. */
  variable(name: string): string;
  /** From 0 to 32767, different each time. */
  random(): number;
}

const PART =
  // oxlint-disable-next-line fairway/linear-regexps -- a word of at most 16,384 characters, from where the last part ended
  /'(?<single>[^']*)'|"(?<double>(?:\\[^]|[^"\\])*)"|\\(?<escaped>[^])|\$\(\((?<sum>(?:[^()]|\([^()]*\))*)\)\)|\$\((?<command>[^()]*)\)|\$\{(?<braced>\w+)\}|\$(?<name>\w+)|(?<plain>[^$'"\\]+)/y;
const IN_QUOTES =
  /\\(?<escaped>[$"`\\])|\$\(\((?<sum>(?:[^()]|\([^()]*\))*)\)\)|\$\((?<command>[^()]*)\)|\$\{(?<braced>\w+)\}|\$(?<name>\w+)|(?<plain>[^$\\]+|\\)/y;
const OPERATION = /^\s*(-?\d+)\s*(?:([-+*/%])\s*(-?\d+)\s*)?$/;
/** Command substitutions whose output is unknown and affects no exit status. */
const UNKNOWN_OUTPUT_COMMAND = /^\s*(?:date|hostname|uname|pwd|id)\b[^$]*$/;

/** A word without quotes, with variables and arithmetic expanded. It is not split: spaces in a value are kept. */
export function expandWord(word: string, expansion: Expansion): string {
  return expandParts(word, PART, expansion);
}

function expandParts(text: string, pattern: RegExp, expansion: Expansion): string {
  // oxlint-disable-next-line fairway/linear-regexps -- one of the two above
  const parts = new RegExp(pattern.source, 'y');
  let result = '';
  while (parts.lastIndex < text.length) {
    const match = parts.exec(text);
    if (match === null) throw new UnsupportedScriptError();
    const { single, double, escaped, sum, command, braced, name, plain } = match.groups ?? {};
    if (double !== undefined) result += expandParts(double, IN_QUOTES, expansion);
    else if (sum !== undefined) result += calculate(variablesIn(sum, expansion));
    else if (command !== undefined) result += outputOf(command, expansion);
    else if (braced !== undefined || name !== undefined) result += valueOf(braced ?? name ?? '', expansion);
    else result += single ?? escaped ?? plain ?? '';
  }
  return result;
}

function valueOf(name: string, expansion: Expansion): string {
  return name === 'RANDOM' ? String(expansion.random()) : expansion.variable(name);
}

function variablesIn(text: string, expansion: Expansion): string {
  return text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => valueOf(name, expansion));
}

function outputOf(command: string, expansion: Expansion): string {
  const sum = /^\s*expr\s([^]*)$/.exec(command)?.[1];
  if (sum !== undefined) return calculate(variablesIn(sum, expansion).replaceAll(String.raw`\*`, '*'));
  if (UNKNOWN_OUTPUT_COMMAND.test(command)) return '';
  throw new UnsupportedScriptError();
}

/** One operation on two integers. */
function calculate(text: string): string {
  const [, left = '', operator, right = ''] = OPERATION.exec(text) ?? [];
  if (left === '') throw new UnsupportedScriptError();
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case undefined:
      return String(a);
    case '+':
      return String(a + b);
    case '-':
      return String(a - b);
    case '*':
      return String(a * b);
    default:
      if (b === 0) throw new UnsupportedScriptError();
      return String(operator === '/' ? Math.trunc(a / b) : a % b);
  }
}
