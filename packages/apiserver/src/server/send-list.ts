import type { ServerResponse } from 'node:http';
import type { ListText } from './list-text.ts';

/** Maximum size of a write. */
const SLICE_BYTES = 128 * 1024;
/** Buffers kept for the next lists. */
const MAX_SPARE_BUFFERS = 8;

const spareBuffers: Uint8Array[] = [];

/**
 * Sends the text of a list as fast as the client reads it, after its headers. The text is encoded into slices that are
 * reused once the connection has sent them: allocating megabytes for each list triggers full garbage collections, which
 * take half of a list's time.
 */
export function sendList(response: ServerResponse, list: ListText): void {
  const reader = list.reader();
  const slice = spareBuffers.pop() ?? new Uint8Array(SLICE_BYTES);
  const releaseBuffer = () => {
    if (spareBuffers.length < MAX_SPARE_BUFFERS) spareBuffers.push(slice);
  };
  const writeNext = (error?: Error | null) => {
    const length = error ? 0 : reader.read(slice);
    if (length > 0) {
      response.write(slice.subarray(0, length), writeNext);
      return;
    }
    releaseBuffer();
    if (!error) response.end();
  };
  writeNext();
}
