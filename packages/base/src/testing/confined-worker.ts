import { parentPort, workerData } from 'node:worker_threads';

/** A ConfinedModule's thread: executes the requested calls one after another. */
export interface ConfinedCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

export type ConfinedResult = { readonly value: unknown } | { readonly error: Error };

const { module } = workerData as { readonly module: string };
const functions = (await import(module)) as Record<string, (...args: unknown[]) => unknown>;

parentPort?.on('message', ({ name, args }: ConfinedCall) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  void resultOf(name, args).then((result) => parentPort?.postMessage(result));
});

async function resultOf(name: string, args: readonly unknown[]): Promise<ConfinedResult> {
  try {
    return { value: await functions[name]?.(...args) };
  } catch (error) {
    // Custom error classes become plain errors.
    return { error: error instanceof Error ? new Error(`${error.name}: ${error.message}`) : new Error(String(error)) };
  }
}
