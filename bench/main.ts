import { cpus, totalmem } from 'node:os';

/** Benchmarks by name; each is loaded when it runs, so a broken one does not affect the others. */
const BENCHES = {
  'api-server': async () => (await import('./api-server.ts')).benchApiServer,
  product: async () => (await import('./product.ts')).benchProduct,
  hostile: async () => (await import('./hostile.ts')).benchHostile,
  growth: async () => (await import('./growth.ts')).benchGrowth,
  scale: async () => (await import('./scale.ts')).benchScale,
  idle: async () => (await import('./idle.ts')).benchIdle,
  'idle-cluster': async () => (await import('./idle-cluster.ts')).benchIdleCluster,
  autoscaling: async () => (await import('./autoscaling.ts')).benchAutoscaling,
  mapping: async () => (await import('./mapping.ts')).benchMapping,
  upgrade: async () => (await import('./upgrade.ts')).benchUpgrade,
  'load-balancers': async () => (await import('./load-balancers.ts')).benchLoadBalancers,
  console: async () => (await import('./console.ts')).benchConsole,
  'entry-points': async () => (await import('./entry-points.ts')).benchEntryPoints,
  csi: async () => (await import('./csi.ts')).benchCsi,
  'many-load-balancers': async () => (await import('./many-load-balancers.ts')).benchManyLoadBalancers,
  'openstack-calls': async () => (await import('./openstack-calls.ts')).benchOpenStackCalls,
} as const satisfies Record<string, () => Promise<(print: (text: string) => void) => Promise<void>>>;

type BenchName = keyof typeof BENCHES;

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0) {
    throw new Error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  }
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const [cpu] = cpus();
  const memoryGib = Math.round(totalmem() / 1024 ** 3);
  print(`${cpus().length} × ${cpu?.model.trim() ?? 'CPU'}, ${memoryGib} GiB, Node ${process.version}\n`);
  const selectedNames = (names.length > 0 ? names : Object.keys(BENCHES)) as BenchName[];
  for (const name of selectedNames) await (await BENCHES[name]())(print);
}

await main(process.argv.slice(2));
