import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { SPEC_FILE } from '@fairway/control-plane/simulated/simulated-process-runtime';
import { parseSpecFile } from '@fairway/control-plane/simulated/spec-file';
import { LogLevels } from '../log-levels.ts';
import { createLogger } from '../logger.ts';
import { runSimulatedControlPlane } from './run.ts';

/** Internal command: `fairway serve` runs it for each simulated cluster, with the cluster's directory. */
process.umask(0o077);
const [folder = '.'] = process.argv.slice(2);
const log = createLogger(new LogLevels('warn'));
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
const file = await parseSpecFile(readFileSync(join(folder, SPEC_FILE), 'utf8'));
await runSimulatedControlPlane({ ...file, folder, clock: systemClock, random: Math.random, log, signal: stop.signal });
