import { SimulatorControl } from '../session/simulator-control.ts';

/** Makes the simulated cloud of this clouds.yaml report that no servers of the flavor are left, from now on. */
export async function exhaustFlavor(cloudsYaml: string, flavor: string): Promise<void> {
  const control = await SimulatorControl.of(cloudsYaml);
  await control.arm({ times: null, action: { kind: 'outOfStock', flavor } });
}
