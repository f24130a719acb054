import type { Selector } from './schemas.ts';

/**
 * Whether a label selector matches these labels, as defined by Kubernetes; an invalid selector matches nothing. Pure.
 */
export function selects(selector: Selector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false;
  const { matchLabels, matchExpressions } = selector;
  if (!Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value)) return false;
  return matchExpressions.every(({ key, operator, values }) => {
    const label = labelOf(labels, key);
    switch (operator) {
      case 'In':
        return label !== undefined && values.includes(label);
      case 'NotIn':
        return label === undefined || !values.includes(label);
      case 'Exists':
        return label !== undefined;
      case 'DoesNotExist':
        return label === undefined;
      default:
        return false;
    }
  });
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
