/**
 * Runs `work` for each item, at most `concurrency` at a time. Rejects with the first error once running items have
 * finished.
 */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (const item of rest) {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (failure) throw failure.error;
}
