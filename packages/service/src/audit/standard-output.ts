import type { LineWriter } from '@fairway/apiserver/audit/audit-log';

/** Writes to standard output, for a container runtime or another collector. */
export const standardOutput: LineWriter = {
  write(lines) {
    return new Promise((resolve, reject) => {
      process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  },
  close: () => Promise.resolve(),
};
