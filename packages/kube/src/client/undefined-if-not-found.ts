import { isApiError } from '../object/api-error.ts';

/** Awaits a read of an object that may not exist. Rejects on every error except NotFound. */
export async function undefinedIfNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
