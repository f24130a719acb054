import { DRIVER } from '@fairway/cloud-provider/volumes/driver';
import { ControllerCapability, Expansion, PluginService } from './protocol/messages.ts';

export function pluginInfo(version: string): object {
  return { name: DRIVER, vendor_version: version };
}

/** Volumes are accessible only from certain zones, and can be expanded online and offline. */
export const PLUGIN_CAPABILITIES = {
  capabilities: [
    ...Object.values(PluginService).map((type) => ({ service: { type } })),
    ...Object.values(Expansion).map((type) => ({ volume_expansion: { type } })),
  ],
};

export const CONTROLLER_CAPABILITIES = {
  capabilities: Object.values(ControllerCapability).map((type) => ({ rpc: { type } })),
};

/** The probe does not check the cloud, because a restart does not help if the cloud is unreachable. */
export const PROBE_RESPONSE = { ready: { value: true } };
