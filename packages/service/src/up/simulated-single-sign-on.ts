import type { KeystoneSettings } from '@fairway/identity/settings';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';

/** Adds the simulated cloud's identity provider for single sign-on, unless the operator has configured another one. */
export function withSimulatedSingleSignOn(settings: KeystoneSettings, cloudsYaml: CloudsYaml): KeystoneSettings {
  if (settings.singleSignOn.length > 0) return settings;
  const { authUrl } = cloudsYaml.get(settings.cloud);
  const way = { name: 'Simulated identity provider', url: `${authUrl}/auth/OS-FEDERATION/websso/openid` };
  return { ...settings, singleSignOn: [way] };
}
