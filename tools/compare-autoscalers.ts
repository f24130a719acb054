import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SITUATIONS } from '@fairway/controllers/autoscaling/testing/situations';
import { findClusterAutoscaler } from '../tests/autoscaling-compared/cluster-autoscaler.ts';
import { runUpstream } from '../tests/autoscaling-compared/upstream.ts';
import { testReleases } from '../tests/process-runtime/releases.ts';

// Runs cluster-autoscaler in all scenarios, records its decisions, and writes the table in docs/tenants: npm run
// compare:autoscalers

const ROOT = join(import.meta.dirname, '..');
const DECISIONS_FILE = join(ROOT, 'packages/controllers/src/autoscaling/testing/upstream-decisions.json');

const binary = findClusterAutoscaler(process.env);
const { offered } = await testReleases();
if (binary === undefined) throw new Error('there is no cluster-autoscaler: see testbed/cluster-autoscaler');
if (offered === undefined) throw new Error('there is no Kubernetes of 1.31 or later: see testbed/kubernetes');
const folder = await mkdtemp(join(tmpdir(), 'fairway-compared-'));
// If the autoscaler fails, the directory is kept along with its log.
const upstreamDecisions = await runUpstream(SITUATIONS, { program: binary, folder });
await rm(folder, { recursive: true, force: true });
const decisions = Object.fromEntries(upstreamDecisions);
await writeFile(DECISIONS_FILE, `${JSON.stringify({ kubernetes: offered.version, decisions }, undefined, 2)}\n`);
execFileSync(process.execPath, [join(import.meta.dirname, 'generate-autoscaling-table.ts')], { stdio: 'inherit' });
