/** Words of one command, without quotes or redirections. */
export type Words = readonly string[];

const OPERATOR = /^(?:\|\|?|&&?|;)/;
const REDIRECTION = /^\d*(?:>>?|<{1,3})-?(?:&\d)?/;

/**
 * The commands of a shell line: split at pipes and list operators, without comments, redirections or assignments before
 * a command. A substitution (`$(…)`) is a word, and its commands follow the surrounding ones. Pure.
 */
export function commandsOf(line: string): readonly Words[] {
  const commands: string[][] = [[]];
  const inner: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  let at = 0;
  const end = () => {
    if (word !== undefined && !isTarget) commands.at(-1)?.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const quote = rest[0];
    const operator = OPERATOR.exec(rest)?.[0];
    const redirection = word === undefined ? REDIRECTION.exec(rest)?.[0] : undefined;
    if (rest.startsWith('$(')) {
      const text = untilClosingParenthesis(rest.slice(2));
      inner.push(text);
      word = `${word ?? ''}SUBSTITUTED`;
      at += text.length + 3;
    } else if (quote === "'" || quote === '"') {
      const text = quoted(rest, quote);
      if (quote === '"') inner.push(...[...text.matchAll(/\$\(([^()]*)\)/g)].map(([, command = '']) => command));
      word = (word ?? '') + text;
      at += text.length + 2;
    } else if (word === undefined && quote === '#') {
      break;
    } else if (operator !== undefined) {
      end();
      commands.push([]);
      at += operator.length;
    } else if (redirection) {
      isTarget = !redirection.includes('&');
      at += redirection.length;
    } else if (/\s/.test(quote ?? '')) {
      end();
      at += 1;
    } else if (quote === '\\') {
      word = (word ?? '') + (rest[1] ?? '');
      at += 2;
    } else {
      word = (word ?? '') + quote;
      at += 1;
    }
  }
  end();
  return [...commands.map(withoutAssignments), ...inner.flatMap(commandsOf)].filter((words) => words.length > 0);
}

/** Prefixes that run a command, such as `sudo` or `npx`. */
const RUNNERS = new Set(['sudo', 'npx', 'time', 'env']);

function withoutAssignments(words: Words): Words {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word) && !RUNNERS.has(word));
  return first === -1 ? [] : words.slice(first);
}

function quoted(text: string, quote: string): string {
  const end = text.indexOf(quote, 1);
  return text.slice(1, end === -1 ? undefined : end);
}

function untilClosingParenthesis(text: string): string {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && --depth === 0) return text.slice(0, at);
  }
  return text;
}
