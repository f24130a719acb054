import { SimulatorControl } from '../session/simulator-control.ts';

/** From now on, the simulated cloud of this clouds.yaml has no servers of the flavor left. */
export async function exhaustFlavor(cloudsYaml: string, flavor: string): Promise<void> {
  const control = await SimulatorControl.of(cloudsYaml);
  await control.arm({ times: null, action: { kind: 'outOfStock', flavor } });
}
