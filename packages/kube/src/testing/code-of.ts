import { ApiError } from '../object/api-error.ts';

/** HTTP code of an error response, 0 for a success. Rejects for any other error. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
