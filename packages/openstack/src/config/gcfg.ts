import { trimmedEnd } from '@fairway/base/trim';
/** One `key = value` line; entries keep the order of the file. */
export interface GcfgEntry {
  /** In lower case. */
  readonly section: string;
  /** As in `[LoadBalancerClass "fast"]`. */
  readonly subsection: string | undefined;
  /** In lower case. */
  readonly key: string;
  /** Undefined for a key without `=`, which sets a flag. */
  readonly value: string | undefined;
  readonly line: number;
}

export interface GcfgSection {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly line: number;
}

export interface GcfgFile {
  readonly sections: readonly GcfgSection[];
  readonly entries: readonly GcfgEntry[];
}

/** Thrown for input that is not in this format. */
export class GcfgError extends Error {
  override readonly name = 'GcfgError';
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

const SECTION = /^\[\s*([a-z][a-z0-9-]*)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]\s*(?:[;#].*)?$/i;
const KEY = /^([a-z][a-z0-9-]*)\s*(?:=(.*)|([;#].*)?)$/is;

/**
 * Parses the format of cloud.conf, which is git's: https://pkg.go.dev/gopkg.in/gcfg.v1. Section and key names are
 * case-insensitive, subsection names are case-sensitive.
 */
export function parseGcfg(text: string): GcfgFile {
  const sections: GcfgSection[] = [];
  const entries: GcfgEntry[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let content = (lines[at] ?? '').trim();
    if (content === '' || /^[;#]/.test(content)) continue;
    if (content.startsWith('[')) {
      const [, name, subsection] = SECTION.exec(content) ?? [];
      if (name === undefined) throw new GcfgError(line, 'is neither [section] nor [section "name"]');
      sections.push({ section: name.toLowerCase(), subsection: subsection?.replace(/\\(.)/g, '$1'), line });
      continue;
    }
    const section = sections.at(-1);
    if (section === undefined) throw new GcfgError(line, 'is before any [section]');
    const parts = [content];
    for (let last = content; endsInBackslash(last) && at + 1 < lines.length; ) {
      last = lines[++at] ?? '';
      parts.push(last);
    }
    content = parts.map((part, index) => (index < parts.length - 1 ? part.slice(0, -1) : part)).join('');
    const [, key, value] = KEY.exec(content) ?? [];
    if (key === undefined) throw new GcfgError(line, 'is neither "key = value" nor a comment');
    const { section: name, subsection } = section;
    const read = value === undefined ? undefined : valueOf(value, line);
    entries.push({ section: name, subsection, key: key.toLowerCase(), value: read, line });
  }
  return { sections, entries };
}

/** A line continues after an odd number of backslashes: a pair is an escaped backslash. */
function endsInBackslash(content: string): boolean {
  return (content.length - trimmedEnd(content, '\\').length) % 2 === 1;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', t: '\t' };

/** Strips comments and quotes; leading and trailing blanks are kept only within quotes. */
function valueOf(text: string, line: number): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const each = text[at] ?? '';
    if (!isQuoted && (each === ';' || each === '#')) break;
    if (each === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
    } else if (each === '\\') {
      const escaped = ESCAPES[text[++at] ?? ''];
      if (escaped === undefined)
        throw new GcfgError(line, `\\${text[at] ?? ''} is not a valid escape: write \\\\ for a backslash`);
      value += escaped;
      kept = value.length;
    } else if (isQuoted || value !== '' || !/\s/.test(each)) {
      value += each;
      if (isQuoted || !/\s/.test(each)) kept = value.length;
    }
  }
  if (isQuoted) throw new GcfgError(line, 'a quote is not closed');
  return value.slice(0, kept);
}
