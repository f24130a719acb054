import { bounded, TRUNCATED_ANNOTATION } from './audit-event.ts';
import { MAX_EVENT_CHARS } from './audited-body.ts';

const BODY_KEYS = /,"(?:requestObject|responseObject)":/;
const TIMESTAMP_KEY = ',"requestReceivedTimestamp":';
const ANNOTATIONS_KEY = ',"annotations":{';
const MAX_TEXT_CHARS = 8192;
/** Maximum number of source IPs; the last one is the connection's peer. */
const MAX_SOURCES_CHARS = 1024;

/**
 * Shortens an event's line if it exceeds 100 KiB, which kube-apiserver would drop: removes bodies, then truncates
 * client-controlled fields: the URI, the impersonated user and the source IPs. Shorter lines, and lines not written by
 * kube-apiserver, are unchanged.
 *
 * The line is not parsed, which would be slow. This relies on kube-apiserver's field order, and on quotes being escaped
 * within strings.
 */
export function shortenLine(line: string): string {
  if (line.length <= MAX_EVENT_CHARS) return line;
  const whole = markTruncated(withoutBodies(line));
  if (whole.length <= MAX_EVENT_CHARS) return whole;
  const cuts: readonly [begin: string, end: string, cut: (text: string) => string][] = [
    [',"requestURI":"', '","verb":', prefixOf],
    [',"impersonatedUser":{"username":"', ',"sourceIPs":', (text) => `${prefixOf(text.split('"', 1)[0] ?? '')}"}`],
    [',"sourceIPs":[', '],"', lastSources],
  ];
  return cuts.reduce((text, [begin, end, cut]) => replaceBetween(text, begin, end, cut), whole);
}

function withoutBodies(line: string): string {
  const begin = line.search(BODY_KEYS);
  const end = line.lastIndexOf(TIMESTAMP_KEY);
  return begin < 0 || end < begin ? line : line.slice(0, begin) + line.slice(end);
}

function markTruncated(line: string): string {
  const mark = `"${TRUNCATED_ANNOTATION}":"true"`;
  const at = line.lastIndexOf(ANNOTATIONS_KEY);
  if (at < 0) return `${line.slice(0, -1)}${ANNOTATIONS_KEY}${mark}}}`;
  const from = at + ANNOTATIONS_KEY.length;
  return `${line.slice(0, from)}${mark}${line[from] === '}' ? '' : ','}${line.slice(from)}`;
}

function replaceBetween(line: string, begin: string, end: string, cut: (text: string) => string): string {
  const from = line.indexOf(begin) + begin.length;
  const to = from < begin.length ? -1 : line.indexOf(end, from);
  return to < 0 ? line : line.slice(0, from) + cut(line.slice(from, to)) + line.slice(to);
}

/** Never splits an escape sequence. */
function prefixOf(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const [plain = ''] = text.slice(0, MAX_TEXT_CHARS).split('\\', 1);
  return bounded(`${plain} `, plain.length);
}

function lastSources(text: string): string {
  if (text.length <= MAX_SOURCES_CHARS) return text;
  const last = text.slice(-MAX_SOURCES_CHARS);
  return last.slice(last.indexOf(',') + 1);
}
