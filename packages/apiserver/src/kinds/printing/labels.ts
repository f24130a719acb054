import type { LabelSelector } from '@fairway/kube/kinds/generated/types';

/** Labels in kubectl's format: `app=web,tier=front`, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/**
 * A selector as `metav1.FormatLabelSelector` prints it: `app=web,tier in (back,front)`, or `<none>` if it selects
 * everything.
 */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const requirements = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
      key,
      text: formatExpression(key, operator, values),
    })),
  ];
  if (requirements.length === 0) return '<none>';
  return requirements
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ text }) => text)
    .join(',');
}

function formatExpression(key: string, operator: string, values: readonly string[]): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${[...values].sort().join(',')})`;
  }
}
