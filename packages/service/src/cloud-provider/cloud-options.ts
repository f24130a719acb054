import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import {
  type CloudConf,
  DEFAULT_LOAD_BALANCER_SETTINGS,
  readCloudConf,
} from '@fairway/cloud-provider/standalone/cloud-conf/cloud-conf';
import { usageError } from '../command-error.ts';
import { readCloudsYaml } from '../up/clouds.ts';

export interface CloudSelection {
  /** An entry of clouds.yaml. */
  readonly cloud?: string | undefined;
  /** A cloud.conf. */
  readonly cloudConfig?: string | undefined;
}

/**
 * The cloud in a cloud.conf, or an entry of clouds.yaml. Throws a CommandError or a CloudConfigError if the file is
 * unreadable.
 */
export function cloudOptions({ cloud, cloudConfig }: CloudSelection): CloudConf {
  if (cloudConfig === undefined) {
    return {
      cloud: readCloudsYaml().get(cloud),
      loadBalancerSettings: DEFAULT_LOAD_BALANCER_SETTINGS,
      routerID: undefined,
      requestTimeoutMs: undefined,
      warnings: [],
    };
  }
  if (cloud !== undefined) {
    throw usageError(
      '--cloud and --cloud-config both name a cloud',
      'remove one; to select an entry of clouds.yaml in cloud.conf, set use-clouds and cloud in [Global]',
    );
  }
  const source = cloudConfig;
  return readCloudConf(textOf(source), { source, home: homedir(), cloudsYaml: (file) => readCloudsYaml(file) });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(`--cloud-config ${path}: ${why}`, undefined, error);
  }
}
