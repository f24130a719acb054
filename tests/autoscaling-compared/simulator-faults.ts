import { SimulatorControl } from '../session/simulator-control.ts';

/**
 * Makes the simulated cloud of this clouds.yaml report from now on that no more servers of the flavor are available.
 */
export async function exhaustFlavor(cloudsYaml: string, flavor: string): Promise<void> {
  const control = await SimulatorControl.of(cloudsYaml);
  await control.arm({ times: null, action: { kind: 'outOfStock', flavor } });
}
