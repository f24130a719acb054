/** An error in an expression, at a character position in its text. */
export interface CelIssue {
  readonly at: number;
  readonly message: string;
}

const MAX_ISSUES = 10;
const MAX_LINE_CHARS = 160;
const MAX_MESSAGE_CHARS = 512;

/** Issues in cel-go's format, ordered by position: message, line, and a marker below it. */
export function describeIssues(text: string, issues: readonly CelIssue[]): string {
  const sorted = issues.toSorted((left, right) => left.at - right.at);
  const described = sorted.slice(0, MAX_ISSUES).map((issue) => describe(text, issue));
  const more = sorted.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function describe(text: string, { at, message }: CelIssue): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const row = text.slice(0, start).split('\n').length;
  const column = at - start;
  const whole = text.slice(start, end === -1 ? undefined : end);
  // For a long line, an excerpt around the position.
  const from = Math.max(0, Math.min(column - MAX_LINE_CHARS / 2, whole.length - MAX_LINE_CHARS));
  const line = whole.slice(from, from + MAX_LINE_CHARS).replaceAll('\t', ' ');
  const words = message.slice(0, MAX_MESSAGE_CHARS);
  return `ERROR: <input>:${row}:${column + 1}: ${words}\n | ${line}\n | ${'.'.repeat(column - from)}^`;
}
