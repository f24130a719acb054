import type { KeystoneSettings } from '@fairway/identity/settings';
import { usageError } from '@fairway/service/command-error';
import type { ListenAddress } from '@fairway/service/serve/listen-address';

/** The address for Magnum's API; undefined to disable it. Throws a usage error if nobody could use it. */
export function magnumOptions(
  { magnumListen, gateway = true }: { readonly magnumListen?: ListenAddress; readonly gateway?: boolean },
  keystone: KeystoneSettings | undefined,
): ListenAddress | undefined {
  if (magnumListen === undefined) return undefined;
  if (keystone === undefined) {
    throw usageError(
      "Magnum's API needs Keystone users, but no Keystone is configured",
      'add --keystone ENTRY, or keystone.cloud in fairway.yaml',
    );
  }
  if (!gateway) {
    throw usageError(
      "Magnum's API uses the gateway, which this replica does not run",
      'leave out --no-gateway, or --magnum-listen',
    );
  }
  return magnumListen;
}
