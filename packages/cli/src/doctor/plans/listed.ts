const MAX_SHOWN = 8;

/** The first names of a list, for a message; `none` if it is empty. Pure. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return `${names.slice(0, MAX_SHOWN).join(', ')}${more}`;
}
