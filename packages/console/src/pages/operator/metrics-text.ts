/** A sample of one series in Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(?:^|,)([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * The samples of metrics whose names begin with `prefix`; skips all other lines; there may be ten thousand of them.
 */
export function samplesOf(text: string, prefix: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith(prefix)) return [];
    const [, name = '', labels = '', value = ''] = SERIES.exec(line) ?? [];
    const number = numberOf(value);
    if (name === '' || Number.isNaN(number)) return [];
    return [{ name, labels: labelsOf(labels), value: number }];
  });
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, key = '', value = '']) => [key, unescapeLabel(value)]));
}

function unescapeLabel(value: string): string {
  return value.replaceAll(/\\(.)/g, (_match, character: string) => (character === 'n' ? '\n' : character));
}

function numberOf(value: string): number {
  if (value === '+Inf') return Number.POSITIVE_INFINITY;
  if (value === '-Inf') return Number.NEGATIVE_INFINITY;
  return Number(value);
}
