import { cloudsOf } from '../auth/chosen-sign-in.ts';
import type { CliContext } from '../command/context.ts';

/** Entries of clouds.yaml; none where it can't be read, as a completion must not print errors. */
export function cloudNames(context: Pick<CliContext, 'env' | 'cwd'>): readonly string[] {
  try {
    return cloudsOf(context).names;
  } catch {
    return [];
  }
}
