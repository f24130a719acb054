import { DRIVER } from '@fairway/cloud-provider/volumes/driver';
import { ControllerCapability, Expansion, PluginService } from './protocol/messages.ts';

export function pluginInfo(version: string): object {
  return { name: DRIVER, vendor_version: version };
}

/** Volumes are accessible from different zones, and can be expanded online and offline. */
export const PLUGIN_CAPABILITIES = {
  capabilities: [
    ...Object.values(PluginService).map((type) => ({ service: { type } })),
    ...Object.values(Expansion).map((type) => ({ volume_expansion: { type } })),
  ],
};

export const CONTROLLER_CAPABILITIES = {
  capabilities: Object.values(ControllerCapability).map((type) => ({ rpc: { type } })),
};

/** A restart does not help if the cloud is unreachable, so the probe ignores it. */
export const PROBE_RESPONSE = { ready: { value: true } };
