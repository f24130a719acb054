import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaleSvg } from './pictures/scale-svg.ts';
import { timelineSvg } from './pictures/timeline-svg.ts';
import { runUpgrade } from './pictures/upgrade-run.ts';

/** Draws docs/pictures/upgrade-*.svg from upgrades on the simulated cloud, and scale.svg from the shard assignment: `npm run generate:pictures`. */
const PICTURES = {
  'upgrade-rolling.svg': {
    strategy: { type: 'Rolling', maxSurge: 1, maxUnavailable: 0 },
    nodes: 3,
    title: 'Rolling, maxSurge 1: a new node first, then an old one goes',
    description: 'Three nodes, and a fourth while they are replaced one after another. Three are ready at any time.',
  },
  'upgrade-in-place.svg': {
    strategy: { type: 'InPlace' },
    nodes: 3,
    title: 'InPlace: one node after another is drained and installed again',
    description: 'Three nodes keep their servers and addresses. One of them is away at a time.',
  },
} as const;

writeFileSync(join(import.meta.dirname, '../docs/pictures/scale.svg'), scaleSvg());
for (const [file, upgrade] of Object.entries(PICTURES)) {
  const timeline = await runUpgrade(upgrade);
  writeFileSync(join(import.meta.dirname, '../docs/pictures', file), timelineSvg(timeline));
  process.stdout.write(`${file}: ${Math.round((timeline.toMs - timeline.fromMs) / 1000)} s\n`);
}
process.exit();
