const ERROR_LINE_PATTERN = /^[EF]\d{4} |"level":"(?:error|fatal|panic)"|^(?:Error|error|panic|fatal): /;
const MAX_LINE_LENGTH = 300;

/**
 * Why a program exited, according to its log: the last error, or otherwise the last line; undefined for an empty log.
 */
export function lastErrorLine(log: string): string | undefined {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const lastError = lines.findLastIndex((candidate) => ERROR_LINE_PATTERN.test(candidate));
  const line = lines.at(lastError);
  if (line === undefined) return undefined;
  return withoutPrefix(withFirstLineOfValue(line, lines[lastError + 1])).slice(0, MAX_LINE_LENGTH);
}

/** klog writes a value of several lines as `err=<`, then its indented lines. */
function withFirstLineOfValue(line: string, next: string | undefined): string {
  return line.endsWith('=<') && next?.startsWith('\t') ? `${line.slice(0, -1)}${next.trim()}` : line;
}

/** klog prefixes a message with level, time, thread and source location; etcd writes JSON. */
function withoutPrefix(line: string): string {
  if (/^[EFIW]\d{4} /.test(line)) return line.slice(line.indexOf('] ') + 2);
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: unknown };
    return [msg, error].filter((part) => typeof part === 'string').join(': ') || line;
  } catch {
    return line.trim();
  }
}
