import { DRIVER } from '@fairway/cloud-provider/volumes/driver';
import { ControllerCapability, Expansion, PluginService } from './protocol/messages.ts';

export function pluginInfo(version: string): object {
  return { name: DRIVER, vendor_version: version };
}

/** Volumes differ in the zones that they can be reached from, and grow whether a server has them or not. */
export const PLUGIN_CAPABILITIES = {
  capabilities: [
    ...Object.values(PluginService).map((type) => ({ service: { type } })),
    ...Object.values(Expansion).map((type) => ({ volume_expansion: { type } })),
  ],
};

export const CONTROLLER_CAPABILITIES = {
  capabilities: Object.values(ControllerCapability).map((type) => ({ rpc: { type } })),
};

/** Being restarted does not help against a cloud that is away, so that it does not count here. */
export const PROBE = { ready: { value: true } };
