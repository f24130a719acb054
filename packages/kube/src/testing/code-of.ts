import { ApiError } from '../object/api-error.ts';

/** HTTP status code of an error response; 0 on success. Rejects for any other error. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
