import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ClientProgram, findProgram } from '../clients/client-binaries.ts';
import { type CommandResult, run } from '../session/running-fairway.ts';
import type { CoeSession } from './coe-session.ts';

const EXAMPLE = new URL('../../examples/opentofu', import.meta.url).pathname;
const PROVIDER = 'registry.opentofu.org/terraform-provider-openstack/openstack';

/** OpenTofu, if it has been built with its OpenStack provider. */
export function findTofu(): ClientProgram | undefined {
  const provider = findProgram('terraform-provider-openstack');
  return provider && findProgram('tofu');
}

/**
 * The example in examples/opentofu, applied by a tenant. Nothing is downloaded, because the provider is in a local
 * directory.
 */
export class TofuRun {
  readonly #session: CoeSession;
  readonly #tofu: ClientProgram;
  readonly #folder: string;

  private constructor(session: CoeSession, tofu: ClientProgram, folder: string) {
    this.#session = session;
    this.#tofu = tofu;
    this.#folder = folder;
  }

  static async in(session: CoeSession, tofu: ClientProgram): Promise<TofuRun> {
    const folder = join(session.folder, 'opentofu');
    await mkdir(folder);
    await cp(EXAMPLE, folder, { recursive: true });
    const overrides = `dev_overrides {\n "${PROVIDER}" = "${dirname(tofu.path)}"\n }`;
    await writeFile(join(folder, 'tofu.rc'), `provider_installation {\n ${overrides}\n direct {}\n}\n`);
    return new TofuRun(session, tofu, folder);
  }

  /** Writes an additional configuration file. */
  async add(name: string, text: string): Promise<void> {
    await writeFile(join(this.#folder, name), text);
  }

  run(variables: Readonly<Record<string, string | number>>, ...words: readonly string[]): Promise<CommandResult> {
    const { cloud, fairway } = this.#session;
    const variableEnv = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [`TF_VAR_${name}`, `${value}`]),
    );
    return run(this.#tofu.path, [`-chdir=${this.#folder}`, ...words, '-no-color'], {
      ...variableEnv,
      PATH: '/usr/bin:/bin',
      HOME: this.#folder,
      OS_CLIENT_CONFIG_FILE: fairway.cloudsYaml,
      OS_CLOUD: cloud.member,
      OS_CACERT: fairway.magnum.authority,
      TF_CLI_CONFIG_FILE: join(this.#folder, 'tofu.rc'),
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      CHECKPOINT_DISABLE: '1',
    });
  }
}
