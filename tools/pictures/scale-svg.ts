import { CLUSTERS_PER_PROJECT, shareOf } from '../../bench/scale/share.ts';

const MAX_REPLICAS = 10;
const CLUSTERS_PER_REPLICA = 1_000;
const WIDTH = 1000;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 330;
const TOP = 64;
const BOTTOM = 60;

interface ChartLine {
  readonly label: string;
  readonly color: string;
  /** Factor relative to one replica, by number of replicas. */
  readonly values: readonly number[];
}

/**
 * Load of each replica when clusters and replicas grow proportionally, relative to one replica with 1,000 clusters,
 * according to the replicas' hashes. Pure.
 */
export function scaleSvg(): string {
  const sizes = Array.from({ length: MAX_REPLICAS }, (_, index) => {
    const replicas = index + 1;
    const clusters = replicas * CLUSTERS_PER_REPLICA;
    return { clusters, ...shareOf({ clusters, replicas }) };
  });
  const lines: readonly ChartLine[] = [
    {
      label: 'caches of objects: every replica has all',
      color: '#dc2626',
      values: sizes.map(({ clusters }) => clusters / CLUSTERS_PER_REPLICA),
    },
    {
      label: 'how often a project is listed',
      color: '#ca8a04',
      values: sizes.map(({ clusters, projectsListed }) => projectsListed / (clusters / CLUSTERS_PER_PROJECT)),
    },
    {
      label: 'clusters of the busiest replica',
      color: '#16a34a',
      values: sizes.map(({ maxClusters }) => maxClusters / CLUSTERS_PER_REPLICA),
    },
  ];
  const x = (replicas: number) => LEFT + ((replicas - 1) * (WIDTH - LEFT - RIGHT)) / (MAX_REPLICAS - 1);
  const y = (times: number) => HEIGHT - BOTTOM - (times * (HEIGHT - TOP - BOTTOM)) / MAX_REPLICAS;
  const title = 'A thousand clusters for each replica: what grows nevertheless';
  const description = lines.map(({ label, values }) => `${label}: ${values.at(-1)?.toFixed(1)} times`).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif">`,
    `<title id="title">${title}</title><desc id="desc">With ten replicas and 10,000 clusters, beside one replica with 1,000: ${description}.</desc>`,
    '<style>.t{font-size:15px;font-weight:600;fill:#0f172a}.l{font-size:12px;fill:#334155}.a{font-size:11px;fill:#475569;text-anchor:middle}.y{font-size:11px;fill:#475569;text-anchor:end}</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="28" class="t">${title}</text>`,
    ...[0, 2, 4, 6, 8, 10].map(
      (times) =>
        `<line x1="${LEFT}" y1="${y(times)}" x2="${x(MAX_REPLICAS)}" y2="${y(times)}" stroke="#e2e8f0"/><text x="${LEFT - 8}" y="${y(times) + 4}" class="y">${times} ×</text>`,
    ),
    ...sizes.map(
      (_, index) => `<text x="${round(x(index + 1))}" y="${HEIGHT - BOTTOM + 18}" class="a">${index + 1}</text>`,
    ),
    `<text x="${round(x((MAX_REPLICAS + 1) / 2))}" y="${HEIGHT - BOTTOM + 40}" class="a">replicas</text>`,
    ...lines.flatMap(({ label, color, values }) => {
      const points = values.map((times, index) => `${round(x(index + 1))},${round(y(times))}`);
      const last = values.at(-1) ?? 0;
      return [
        `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2.5"/>`,
        `<text x="${x(MAX_REPLICAS) + 10}" y="${round(y(last)) + 4}" class="l">${label}: ${last.toFixed(1)} ×</text>`,
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
