import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BenchPki,
  type BenchServer,
  createPki,
  findPeer,
  startEmbedded,
  startPeer,
} from './api-server/servers.ts';
import { type Figure, formatFigures } from './figures.ts';
import { ATTACKS, type Attack } from './hostile/attacks.ts';
import { type Damage, measureDamage } from './hostile/damage.ts';
import { grantTenant } from './hostile/tenant.ts';

/** Measures what hostile clients cost the embedded API server, and kube-apiserver with etcd if available: a new process for each attack. */
export async function benchHostile(print: (text: string) => void): Promise<void> {
  const pki = await createPki();
  const peer = findPeer(process.env);
  if ('missing' in peer) {
    print(`No peer to compare with: ${peer.missing.join(' and ')} not found in KUBEBUILDER_ASSETS or on PATH.\n`);
  }
  const names = new Set<string>();
  const figures: Figure[] = [];
  for (const attack of ATTACKS) {
    const ours = await suffer(attack, pki, startEmbedded, names);
    const theirs =
      'missing' in peer ? undefined : await suffer(attack, pki, (folder) => startPeer(folder, pki, peer), names);
    figures.push(...figuresOf(attack, ours, theirs));
  }
  const [, peerName] = [...names];
  print(formatFigures(`Hostile clients: ${[...names].join(', ')}`, figures, peerName));
}

async function suffer(
  attack: Attack,
  pki: BenchPki,
  start: (folder: string, pki: BenchPki) => Promise<BenchServer>,
  names: Set<string>,
): Promise<Damage> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
  const server = await start(folder, pki);
  names.add(server.name);
  try {
    await grantTenant(server.admin);
    return await measureDamage(server, attack);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figuresOf({ name, goals }: Attack, ours: Damage, theirs: Damage | undefined): Figure[] {
  const figure = (what: string, unit: string, measure: keyof Damage): Figure[] => {
    const [value, most] = [ours[measure], goals[measure]];
    if (value === undefined || most === undefined) return [];
    return [{ name: what, unit, value, peer: theirs?.[measure], goal: { kind: 'at-most', value: most } }];
  };
  return [
    ...figure(`${name}: longest answer`, 'ms', 'longestMs'),
    ...figure(`${name}: others wait`, 'ms', 'othersMs'),
    ...figure(`${name}: memory grows by`, 'MiB', 'growthMib'),
  ];
}
