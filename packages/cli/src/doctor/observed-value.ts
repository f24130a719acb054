import { explainError } from '../command/explain-error.ts';

/** A result, or why it could not be obtained. */
export type ObservedValue<T> = { readonly value: T } | { readonly problem: string };

/** The result of a query, or the message of its error. */
export async function known<T>(query: () => Promise<T>): Promise<ObservedValue<T>> {
  try {
    return { value: await query() };
  } catch (error) {
    return { problem: explainError(error).message };
  }
}

/** What `map` makes of a result; a problem remains. */
export async function mapped<T, U>(
  observed: Promise<ObservedValue<T>>,
  map: (value: T) => U,
): Promise<ObservedValue<U>> {
  const result = await observed;
  return 'problem' in result ? result : { value: map(result.value) };
}
