/** Whether one half of a permission's key allows a value: `x`, `*`, `!x`, `['x', 'y']`, `!['x', 'y']`. */
export function patternAllows(pattern: string, value: string): boolean {
  if (pattern === value || pattern === '*' || value === '') return true;
  const isNegated = pattern.startsWith('!');
  const inner = isNegated ? pattern.slice(1) : pattern;
  const names = namesOf(inner, isNegated);
  if (names === undefined) return false;
  return (names.includes(value) || names.includes('*')) !== isNegated;
}

/**
 * Undefined for a pattern that can match only its own exact text: an invalid list, or plain text that is not negated.
 */
function namesOf(text: string, isNegated: boolean): readonly string[] | undefined {
  if (!text.startsWith('[')) return isNegated ? [text] : undefined;
  if (!text.endsWith(']')) return undefined;
  try {
    const list: unknown = JSON.parse(text.replaceAll("'", '"'));
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
