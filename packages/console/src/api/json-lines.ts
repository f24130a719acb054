/** Parses a stream of JSON lines as it arrives, ignoring empty lines. The last line may lack its newline. Calls `onHeard` for every chunk. */
export async function* jsonLines<T>(
  chunks: ReadableStream<Uint8Array>,
  onHeard: () => void = () => {},
): AsyncGenerator<T[]> {
  const decoder = new TextDecoder();
  const reader = chunks.getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      onHeard();
      const text = rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }));
      const lines = text.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      const values = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
      if (values.length > 0) yield values;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
