/**
 * Parses a stream of JSON lines as it arrives, ignoring empty lines. The last line may lack its newline. Calls
 * `onChunk` for every chunk.
 */
export async function* parseJsonLines<T>(
  chunks: ReadableStream<Uint8Array>,
  onChunk: () => void = () => {},
): AsyncGenerator<T[]> {
  const decoder = new TextDecoder();
  const reader = chunks.getReader();
  let remainder = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      onChunk();
      const text = remainder + (done ? decoder.decode() : decoder.decode(value, { stream: true }));
      const lines = text.split('\n');
      remainder = done ? '' : (lines.pop() ?? '');
      const values = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
      if (values.length > 0) yield values;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
