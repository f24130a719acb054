import { parser } from '@prometheus-io/lezer-promql';

/** The series that an expression reads. */
export interface PromQL {
  /** The strings that are not valid PromQL. */
  readonly errors: readonly string[];
  readonly selectors: readonly { readonly metrics: readonly string[]; readonly labels: readonly string[] }[];
  /** The labels that the expression groups by or joins on. */
  readonly grouping: readonly string[];
}

/** Parses an expression that contains Grafana's variables. */
export function readPromQL(expression: string): PromQL {
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h');
  const errors: string[] = [];
  const selectors: { metrics: string[]; labels: string[] }[] = [];
  const grouping: string[] = [];
  let isGrouping = false;
  let label = '';
  parser.parse(text).iterate({
    enter({ type, name, from, to }) {
      const word = text.slice(from, to);
      if (type.isError) errors.push(`${text.slice(0, from)}⟦${word}⟧${text.slice(to)}`);
      if (name === 'GroupingLabels') isGrouping = true;
      if (name === 'VectorSelector') selectors.push({ metrics: [], labels: [] });
      const selector = selectors.at(-1);
      if (name === 'Identifier') selector?.metrics.push(word);
      if (name === 'StringLiteral' && label === '__name__') selector?.metrics.push(...word.slice(1, -1).split('|'));
      if (name !== 'LabelName') return;
      label = word;
      if (isGrouping) grouping.push(word);
      else if (word !== '__name__') selector?.labels.push(word);
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { errors, selectors, grouping };
}
