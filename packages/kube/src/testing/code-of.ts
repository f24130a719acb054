import { ApiError } from '../object/api-error.ts';

/** HTTP code of a refusal, 0 for a success. Rejects for whatever else happens. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
