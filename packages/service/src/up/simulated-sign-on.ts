import type { KeystoneSettings } from '@fairway/identity/settings';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';

/** The simulated cloud's identity provider is a way to sign in, where the operator has named no other. */
export function withSimulatedSignOn(settings: KeystoneSettings, cloudsYaml: CloudsYaml): KeystoneSettings {
  if (settings.singleSignOn.length > 0) return settings;
  const { authUrl } = cloudsYaml.get(settings.cloud);
  const way = { name: 'Simulated identity provider', url: `${authUrl}/auth/OS-FEDERATION/websso/openid` };
  return { ...settings, singleSignOn: [way] };
}
