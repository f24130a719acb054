/**
 * Repeated parts: separators of all grammars parsed here, escapes, unclosed brackets, words, white space and non-text
 * characters.
 */
const PARTS: readonly string[] = [
  'a A 0 True / - . : @ = , ; % " \' ` \\ | & # ? ! ~ * + _ $ [ ] { } ( ) < > [] {} ${ [?( <a <h1> </a> {"a": [0] ?(@.a @a (a) ((a',
  '\\" \\\' \\\\ \\, \\n %2f %zz \\u0061 \'a\\ "a" \'a\' a\\a a/ /a a. a- a_ a: a= a, a; a=" a=a, a="a", // /v1 /v1.0/ 0. .0 0m 0ms 1h 1-',
  '----- -- ,, =& &a= ~1 /0 .. ./ ../ :: 0: ff: 1.1. */ 0, -pool- -ingress-a- $(( é \u{1F600} \uD800',
]
  .flatMap((parts) => parts.split(' '))
  .concat(
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\u00A0',
    '\u2028',
    '\0',
    'a ',
    ' a',
    ' =',
    '- ',
    'a: ',
    '- a\n',
    'a\n\n',
    ' \n',
    '\\\n',
    'a\\\n',
    ', ',
    '; a=',
    'a in (a',
  );
const PREFIXES: readonly string[] = ['', 'a', '"', "'"];
const SUFFIXES: readonly string[] = ['', '/', '\n', '\n:@/', '!'];

/**
 * Inputs of about `length` characters that slow down a parser that rescans them or scans from every character. `bare`
 * inputs have no prefix, and there are a tenth as many.
 */
export function hostileTexts(
  length: number,
  { bare = false } = {},
): { readonly name: string; readonly text: string }[] {
  const [prefixes, suffixes] = bare ? [[''], ['', '!']] : [PREFIXES, SUFFIXES];
  return PARTS.flatMap((part) =>
    prefixes.flatMap((head) =>
      suffixes.map((tail) => ({
        name: `${JSON.stringify(part)} repeated between ${JSON.stringify(head)} and ${JSON.stringify(tail)}`,
        text: `${head}${part.repeat(length / part.length)}${tail}`,
      })),
    ),
  );
}

/**
 * Rescanning 8,000 characters from every character takes 32 million steps, which no machine completes in this CPU time.
 */
const TEXT_LENGTH = 8000;
const MIN_CPU_MS = 5;
const ITEM_COUNT = 4000;

/** For four times the input, a linear parser takes four times as long, a quadratic one sixteen times. */
const LENGTH_FACTOR = 4;
const MAX_GROWTH = 8;

/**
 * The first hostile input for which `read` takes superlinear time; undefined if there is none. Compares CPU time of
 * this thread, the minimum of three runs, at two lengths: results don't depend on the machine's speed. An exception
 * from `read` counts as a result.
 */
export async function excessiveGrowth(
  read: (text: string) => unknown,
  options?: { readonly bare: boolean },
): Promise<string | undefined> {
  const longerTexts = hostileTexts(TEXT_LENGTH * LENGTH_FACTOR, options);
  for (const [i, { name, text }] of hostileTexts(TEXT_LENGTH, options).entries()) {
    if ((await cpuMs(read, text)) < MIN_CPU_MS) continue;
    const shortMs = await minCpuMs(read, text);
    const longMs = await minCpuMs(read, longerTexts[i]?.text ?? '');
    if (shortMs < MIN_CPU_MS || longMs < shortMs * MAX_GROWTH) continue;
    return `${name}: ${shortMs.toFixed(1)} ms, of ${LENGTH_FACTOR} times the length ${longMs.toFixed(1)} ms`;
  }
  return undefined;
}

/** Like `excessiveGrowth`, for a `read` that takes a number of items: 4,000, and four times as many. */
export async function excessiveItemGrowth(read: (count: number) => unknown): Promise<string | undefined> {
  const shortMs = await minCpuMs(() => read(ITEM_COUNT), '');
  const longMs = await minCpuMs(() => read(ITEM_COUNT * LENGTH_FACTOR), '');
  if (shortMs < MIN_CPU_MS || longMs < shortMs * MAX_GROWTH) return undefined;
  return `${ITEM_COUNT} items: ${shortMs.toFixed(1)} ms, ${ITEM_COUNT * LENGTH_FACTOR}: ${longMs.toFixed(1)} ms`;
}

async function minCpuMs(read: (text: string) => unknown, text: string): Promise<number> {
  let minimum = await cpuMs(read, text);
  for (let more = 0; more < 2; more++) minimum = Math.min(minimum, await cpuMs(read, text));
  return minimum;
}

async function cpuMs(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await read(text);
  } catch {
    // An exception counts as a result.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
