import { isApiError } from '../object/api-error.ts';

/** Awaits a write to an object that may have been deleted, or replaced by another with the same name. */
export async function ignoreDeleted(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
  }
}
