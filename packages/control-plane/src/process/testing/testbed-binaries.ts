import { homedir } from 'node:os';
import { join } from 'node:path';

/** The directory in which testbed/kubernetes puts its binaries: the only path that it shares with all tests. */
export function testbedBinaries(env: Readonly<Record<string, string | undefined>>): string {
  const cache = env['XDG_CACHE_HOME'] || join(env['HOME'] ?? homedir(), '.cache');
  return join(env['K8STEST_CACHE'] || join(cache, 'fairway/kubernetes'), 'bin');
}
