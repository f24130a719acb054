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

/**
 * Measures what hostile clients cost the embedded API server, and kube-apiserver with etcd if available. Each
 * attack gets a new process.
 */
export async function benchHostile(print: (text: string) => void): Promise<void> {
  const pki = await createPki();
  const peer = findPeer(process.env);
  if ('missing' in peer) {
    print(`No peer to compare with: ${peer.missing.join(' and ')} not found in KUBEBUILDER_ASSETS or on PATH.\n`);
  }
  const names = new Set<string>();
  const figures: Figure[] = [];
  for (const attack of ATTACKS) {
    const ownDamage = await measureAttack(attack, pki, startEmbedded, names);
    const peerDamage =
      'missing' in peer ? undefined : await measureAttack(attack, pki, (folder) => startPeer(folder, pki, peer), names);
    figures.push(...figuresOf(attack, ownDamage, peerDamage));
  }
  const [, peerName] = [...names];
  print(formatFigures(`Hostile clients: ${[...names].join(', ')}`, figures, peerName));
}

async function measureAttack(
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

function figuresOf({ name, goals }: Attack, ownDamage: Damage, peerDamage: Damage | undefined): Figure[] {
  const figure = (label: string, unit: string, measure: keyof Damage): Figure[] => {
    const [value, limit] = [ownDamage[measure], goals[measure]];
    if (value === undefined || limit === undefined) return [];
    return [{ name: label, unit, value, peer: peerDamage?.[measure], goal: { kind: 'at-most', value: limit } }];
  };
  return [
    ...figure(`${name}: longest response`, 'ms', 'longestMs'),
    ...figure(`${name}: others wait`, 'ms', 'otherClientsMs'),
    ...figure(`${name}: memory grows by`, 'MiB', 'growthMib'),
  ];
}
