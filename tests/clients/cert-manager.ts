import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import type { ClientProgram } from './client-binaries.ts';
import { ClientProcess } from './client-process.ts';
import type { Kubectl } from './kubectl.ts';

const NAMESPACE = 'cert-manager';
const CONFIGURATIONS = join(import.meta.dirname, 'certificates/webhook.yaml');

export interface CertManagerOptions {
  readonly program: ClientProgram;
  /** The cluster that cert-manager runs for. */
  readonly kubectl: Kubectl;
  /** The directory for logs. */
  readonly folder: string;
}

/** cert-manager's controllers, its injector and its webhook for a cluster, as processes on this machine. */
export class CertManager implements AsyncDisposable {
  readonly #options: CertManagerOptions;
  readonly #webhook: ClientProcess;
  #restartableProcesses: readonly ClientProcess[] = [];

  private constructor(options: CertManagerOptions, port: number) {
    this.#options = options;
    this.#webhook = this.#run('webhook', `--secure-port=${port}`);
    this.#startControllers();
  }

  /**
   * Installs cert-manager's definitions and runs it as the kubeconfig's user; its webhook takes a while to become
   * trusted.
   */
  static async start(options: CertManagerOptions): Promise<CertManager> {
    const { program, kubectl, folder } = options;
    await kubectl.ok('create', 'namespace', NAMESPACE);
    await kubectl.ok('apply', '--server-side', '-f', program.crds);
    await kubectl.ok('wait', '--for=condition=Established', 'crd', '--all', '--timeout=1m');
    const [port = 0] = await freePorts(1);
    const manager = new CertManager(options, port);
    const configurations = readFileSync(CONFIGURATIONS, 'utf8').replaceAll('PORT', String(port));
    await kubectl.apply(join(folder, 'webhook.yaml'), configurations);
    return manager;
  }

  /** The last output of cert-manager's processes. */
  get outputTail(): string {
    return [this.#webhook, ...this.#restartableProcesses].map(({ outputTail }) => outputTail).join('\n');
  }

  /** Kills the controllers and the injector and starts them again; the new ones check everything again. */
  async restart(): Promise<void> {
    await this.#stopControllers();
    this.#startControllers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopControllers();
    await this.#webhook[Symbol.asyncDispose]();
  }

  #startControllers(): void {
    this.#restartableProcesses = [this.#run('controller'), this.#run('cainjector')];
  }

  async #stopControllers(): Promise<void> {
    for (const each of this.#restartableProcesses) await each[Symbol.asyncDispose]();
  }

  #run(name: string, ...own: readonly string[]): ClientProcess {
    const { program, kubectl, folder } = this.#options;
    return new ClientProcess({
      command: program.path,
      args: [name, `--kubeconfig=${kubectl.kubeconfig}`, ...own],
      env: { HOME: folder, TMPDIR: folder },
      log: join(folder, `${name}.log`),
    });
  }
}
