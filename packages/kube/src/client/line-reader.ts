import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;

/** Limit for one line: objects are at most 2 MiB in this project's API server and in others. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Yields the lines of a byte stream without line endings, including an unterminated last line. Throws a stream error,
 * or an error for a line longer than 16 MiB, as converted by `toError`. Ending the iteration early destroys the stream
 * and frees its connection.
 */
export async function* readLines(
  stream: Readable,
  toError: (error: unknown) => unknown,
  onBytes?: (count: number) => void,
): AsyncGenerator<string> {
  const pieces: Buffer[] = [];
  let unfinishedBytes = 0;
  try {
    for await (const chunk of chunksOf(stream)) {
      onBytes?.(chunk.length);
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        if (pieces.length === 0) {
          yield chunk.toString('utf8', start, end);
        } else {
          pieces.push(chunk.subarray(start, end));
          yield Buffer.concat(pieces.splice(0)).toString('utf8');
        }
        start = end + 1;
      }
      unfinishedBytes = (start === 0 ? unfinishedBytes : 0) + chunk.length - start;
      if (unfinishedBytes > MAX_LINE_BYTES) throw new Error(`a line has more than ${MAX_LINE_BYTES} bytes`);
      if (start < chunk.length) pieces.push(chunk.subarray(start));
    }
  } catch (error) {
    throw toError(error);
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString('utf8');
}

/** Like the stream's own iterator, but without its cost of 4 KB and a dozen listeners per watch. */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  let wake = () => {};
  const notify = () => wake();
  stream.on('readable', notify).on('end', notify).on('error', notify).on('close', notify);
  try {
    for (;;) {
      const chunk = stream.read() as Buffer | null;
      if (chunk !== null) yield chunk;
      else if (stream.readableEnded) return;
      else if (stream.errored) throw stream.errored;
      else if (stream.destroyed) throw new Error('the connection was closed before the end');
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stream.destroy();
  }
}
