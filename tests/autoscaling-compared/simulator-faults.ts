import { SimulatorControl } from '../session/simulator-control.ts';

/** Leaves the simulated cloud of this clouds.yaml without servers of the flavor, from now on. */
export async function exhaust(cloudsYaml: string, flavor: string): Promise<void> {
  const control = await SimulatorControl.of(cloudsYaml);
  await control.arm({ times: null, action: { kind: 'outOfStock', flavor } });
}
