/** Access modes of volumes, and the letters that kubectl prints for them. */
const LETTERS: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export const ACCESS_MODES: readonly string[] = Object.keys(LETTERS).sort();

export function formatAccessModes(modes: readonly string[] | undefined): string {
  return Object.entries(LETTERS)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, letters]) => letters)
    .join(',');
}
