import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SITUATIONS } from '@fairway/controllers/autoscaling/testing/situations';
import { findClusterAutoscaler } from '../tests/autoscaling-compared/cluster-autoscaler.ts';
import { decideUpstream } from '../tests/autoscaling-compared/upstream.ts';
import { testReleases } from '../tests/process-runtime/releases.ts';

// Runs cluster-autoscaler in all situations, records its decisions, and writes the table of docs/tenants: npm run compare:autoscalers

const ROOT = join(import.meta.dirname, '..');
const RECORD = join(ROOT, 'packages/controllers/src/autoscaling/testing/upstream-decisions.json');

const program = findClusterAutoscaler(process.env);
const { offered } = await testReleases();
if (program === undefined) throw new Error('there is no cluster-autoscaler: see testbed/cluster-autoscaler');
if (offered === undefined) throw new Error('there is no Kubernetes of 1.31 or later: see testbed/kubernetes');
const folder = await mkdtemp(join(tmpdir(), 'fairway-compared-'));
// Kept with the autoscaler's log if it fails.
const decided = await decideUpstream(SITUATIONS, { program, folder });
await rm(folder, { recursive: true, force: true });
const decisions = Object.fromEntries(decided);
await writeFile(RECORD, `${JSON.stringify({ kubernetes: offered.version, decisions }, undefined, 2)}\n`);
execFileSync(process.execPath, [join(import.meta.dirname, 'generate-autoscaling-table.ts')], { stdio: 'inherit' });
