import { upstreamProgram } from '../tests/upstream-cloud-provider/binaries.ts';
import { ControllerManager, upstreamManager } from '../tests/upstream-cloud-provider/controller-manager.ts';
import { type Figure, formatFigures } from './figures.ts';
import { FairwaySubject } from './load-balancers/fairway.ts';
import { type Cost, SCENARIOS, type Scenario, SLOW_SCENARIOS, waitForStartup } from './load-balancers/scenarios.ts';
import { FAST_PACE, NODES, SLOW_PACE, type Subject } from './load-balancers/subject.ts';

const MIB = 1024 * 1024;

/**
 * Measures OpenStack calls and waiting times of Services of type LoadBalancer. Fairway and upstream's controller run on
 * separate simulated clouds.
 */
export async function benchLoadBalancers(print: (text: string) => void): Promise<void> {
  const binary = upstreamProgram('openstack-cloud-controller-manager');
  if (binary === undefined) print('upstream is not built: "testbed/cloud-provider-openstack/testbed build" makes it\n');
  for (const [title, pace, scenarios] of [
    ['Load balancers, on a cloud that takes seconds', FAST_PACE, SCENARIOS],
    ['Load balancers, on a cloud that takes a minute', SLOW_PACE, SLOW_SCENARIOS],
  ] as const) {
    const own = await measureCosts(() => FairwaySubject.start(pace), scenarios, print);
    const peer =
      binary === undefined
        ? undefined
        : await measureCosts(() => ControllerManager.start(upstreamManager(binary), pace, NODES), scenarios, print);
    print(formatFigures(title, figuresOf(scenarios, own, peer), peer && 'upstream'));
  }
}

async function measureCosts(
  start: () => Promise<Subject>,
  scenarios: readonly Scenario[],
  print: (text: string) => void,
): Promise<readonly Cost[]> {
  const subject = await start();
  try {
    const costs: Cost[] = [];
    await waitForStartup(subject);
    for (const scenario of scenarios) {
      const cost = await scenario.run(subject);
      print(`${subject.name}: ${scenario.name}: ${cost.calls} calls, ${cost.seconds.toFixed(1)} s`);
      costs.push(cost);
    }
    const memory = subject.memory();
    if (memory !== undefined) print(`${subject.name}: ${Math.round(memory / MIB)} MiB for this cluster`);
    return costs;
  } finally {
    await subject.close();
  }
}

function figuresOf(
  scenarios: readonly Scenario[],
  own: readonly Cost[],
  peer: readonly Cost[] | undefined,
): readonly Figure[] {
  return scenarios.flatMap(({ name, goal }, index): Figure[] => [
    {
      name,
      unit: 'calls',
      value: own[index]?.calls ?? Number.NaN,
      peer: peer?.[index]?.calls,
      goal: goal === undefined ? undefined : { kind: 'at-most', value: goal },
    },
    { name, unit: 's', value: own[index]?.seconds ?? Number.NaN, peer: peer?.[index]?.seconds },
  ]);
}
