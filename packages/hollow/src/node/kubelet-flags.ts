import { UserDataError } from './cloud-init.ts';

/** The kubelet command-line flags that a hollow node honors. */
export interface KubeletFlags {
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerWithTaints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  readonly nodeIp: string | undefined;
  readonly providerId: string | undefined;
  readonly hasExternalCloudProvider: boolean;
  readonly hostnameOverride: string | undefined;
  readonly maxPods: number | undefined;
}

const VARIABLE = 'KUBELET_EXTRA_ARGS=';

/** Parses `KUBELET_EXTRA_ARGS=…` of /etc/default/kubelet as systemd parses an EnvironmentFile. */
export function parseKubeletFlags(environmentFile: string): KubeletFlags {
  const flags = new Map<string, string>();
  const lines = environmentFile.split('\n').map((each) => each.trim());
  const line = lines.find((each) => each.startsWith(VARIABLE))?.slice(VARIABLE.length) ?? '';
  const words = line
    .replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
    .split(/\s+/)
    .filter((word) => word !== '');
  for (let index = 0; index < words.length; index++) {
    const [, name = '', equals, value = ''] = /^--([^=]+)(?:(=)(.*))?$/.exec(words[index] ?? '') ?? [];
    if (name === '') throw new UserDataError(`KUBELET_EXTRA_ARGS: ${words[index]} is not a flag`);
    const next = words[index + 1];
    if (equals === '=') flags.set(name, value);
    else if (next === undefined || next.startsWith('--')) flags.set(name, 'true');
    else {
      flags.set(name, next);
      index++;
    }
  }
  const maxPods = flags.get('max-pods');
  return {
    nodeLabels: parseLabels(flags.get('node-labels') ?? ''),
    registerWithTaints: parseTaints(flags.get('register-with-taints') ?? ''),
    nodeIp: flags.get('node-ip'),
    providerId: flags.get('provider-id'),
    hasExternalCloudProvider: flags.get('cloud-provider') === 'external',
    hostnameOverride: flags.get('hostname-override'),
    maxPods: maxPods === undefined ? undefined : Number.parseInt(maxPods, 10),
  };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of listOf(text)) {
    const equals = pair.indexOf('=');
    labels[equals === -1 ? pair : pair.slice(0, equals)] = equals === -1 ? '' : pair.slice(equals + 1);
  }
  return labels;
}

function parseTaints(text: string): KubeletFlags['registerWithTaints'] {
  return listOf(text).map((taint) => {
    const [, key, value = '', effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(taint) ?? [];
    if (key === undefined || effect === undefined) {
      throw new UserDataError(`--register-with-taints: ${taint} is not of the form key=value:effect`);
    }
    return { key, value, effect };
  });
}

function listOf(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}
