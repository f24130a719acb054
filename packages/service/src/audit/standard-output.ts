import type { LineWriter } from '@fairway/apiserver/audit/audit-log';

/** For whoever collects a process' output, such as a container runtime. */
export const standardOutput: LineWriter = {
  write(lines) {
    return new Promise((resolve, reject) => {
      process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  },
  close: () => Promise.resolve(),
};
