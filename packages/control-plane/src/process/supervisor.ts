import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { MIN_POLL_INTERVAL_MS, nextCheckMs } from './check-schedule.ts';
import { COMPONENTS, type Component, perComponent } from './components.ts';
import { type Files, pathResolver } from './files.ts';
import { logPath, pidPath } from './folder-layout.ts';
import { lastErrorLine } from './last-error-line.ts';
import { LogRotation } from './log-rotation.ts';
import { Member } from './member.ts';
import { HANG_TIMEOUT_MS, type ObservedComponents, planSteps, planStop, type Step } from './plan-steps.ts';
import type { ApiServerTarget, EtcdStatus, Probes } from './probes.ts';
import { type ProcessHost, parsePidFile } from './process-host.ts';
import type { ProcessUser } from './process-user.ts';
import { type RunningProcess, runningProcess } from './running-process.ts';

/** How to run one component. */
export interface ComponentLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly fingerprint: string;
  /** Memory limit in bytes; undefined: no limit. */
  readonly memoryBytes: number | undefined;
  /** Sockets of the component, relative to the directory. */
  readonly sockets: readonly string[];
  /** See Launch. */
  readonly user?: ProcessUser | undefined;
}

export interface DesiredControlPlane {
  /** State of the components. */
  readonly launches: Readonly<Partial<Record<Component, ComponentLaunch>>>;
  readonly apiServer: ApiServerTarget;
  /** Database size at which the desired state changes and a change is reported; undefined if there is none. */
  readonly databaseDueBytes?: number | undefined;
}

export interface ComponentState {
  readonly running: boolean;
  readonly ready: boolean;
  /** Whether the component runs as desired now. */
  readonly current: boolean;
  /** Consecutive unexpected exits. */
  readonly failures: number;
  readonly lastFailure: string | undefined;
}

export interface SupervisedState {
  readonly components: Readonly<Record<Component, ComponentState>>;
  readonly databaseBytes: number | undefined;
  /** Whether etcd rejects writes because its quota is exceeded. */
  readonly isDatabaseFull: boolean;
}

export interface SupervisorOptions {
  /** The cluster's directory. */
  readonly folder: string;
  readonly host: ProcessHost;
  readonly probes: Probes;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
  /** Called when a process has exited unexpectedly or had to be killed. */
  readonly onFailure?: () => void;
}

const STEADY_POLL_INTERVAL_MS = 2000;
const PROBE_PERIOD_MS = 10_000;
/** A component may print the stacks of all its goroutines after its error (klog.Fatal). */
const ERROR_TAIL_BYTES = 2 ** 20;

const HANG_MESSAGE = `it did not respond for ${HANG_TIMEOUT_MS / 1000} s`;

/** State of a component that should not run. */
const ABSENT: ComponentState = { running: false, ready: true, current: true, failures: 0, lastFailure: undefined };

/**
 * Keeps the processes of one control plane in their desired state: adopts those of an earlier Fairway process by their
 * pid files, starts missing ones in order, stops those that differ, and restarts those that exit unexpectedly, with
 * exponential backoff.
 */
export class ControlPlaneSupervisor {
  readonly #options: SupervisorOptions;
  readonly #members = perComponent(() => new Member());
  readonly #path: (path: string) => string;
  #desired: DesiredControlPlane | undefined;
  #mayAct: () => boolean = () => true;
  #stopping: PromiseWithResolvers<void> | undefined;
  #isDetached = false;
  #hibernating: PromiseWithResolvers<void> | undefined;
  #database: EtcdStatus | undefined;
  #announced = '';
  readonly #logs: LogRotation;
  #timer: Timer | undefined;
  #pass: Promise<void> | undefined;
  #isPassDue = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#path = pathResolver(options.folder);
    this.#logs = new LogRotation(options.clock, options.files);
  }

  /** Sets the desired state and whether this process may act on it. Resolves after the first check of the processes. */
  setDesired(desired: DesiredControlPlane, mayAct = () => true): Promise<void> {
    for (const component of COMPONENTS) {
      const before = this.#desired?.launches[component]?.fingerprint;
      const isChanged = before !== undefined && before !== desired.launches[component]?.fingerprint;
      // The change may have removed the cause of a component's failures.
      if (isChanged) this.#members[component].resetBackoff();
    }
    this.#desired = desired;
    this.#mayAct = mayAct;
    this.#hibernating = undefined;
    return this.#poke();
  }

  /** Stops all processes in order, until a new desired state is set; resolves when none is left. */
  hibernate(mayAct = () => true): Promise<void> {
    this.#mayAct = mayAct;
    this.#hibernating ??= Promise.withResolvers();
    const { promise } = this.#hibernating;
    void this.#poke();
    return promise;
  }

  /** Stops managing the processes; they keep running. Final. Pending stops and hibernations reject. */
  detach(): void {
    this.#isDetached = true;
    this.#timer?.cancel();
    const error = new Error('another process manages this control plane');
    this.#hibernating?.reject(error);
    this.#stopping?.reject(error);
  }

  /** Stops all processes in order, while permitted to act; resolves when none is left. Final. */
  stop(mayAct = () => true): Promise<void> {
    this.#mayAct = mayAct;
    if (this.#stopping === undefined) {
      this.#stopping = Promise.withResolvers();
      void this.#poke();
    }
    return this.#stopping.promise;
  }

  get state(): SupervisedState {
    const components = perComponent((component): ComponentState => {
      const { process, failures, lastFailure } = this.#members[component];
      const launch = this.#desired?.launches[component];
      const isCurrent = process?.fingerprint === launch?.fingerprint;
      if (this.#desired && launch === undefined) return ABSENT;
      return {
        running: process !== undefined,
        ready: process?.ready === true && process.terminatedAtMs === undefined,
        current: process !== undefined && isCurrent,
        failures,
        lastFailure,
      };
    });
    const { databaseBytes, isFull = false } = this.#database ?? {};
    return { components, databaseBytes, isDatabaseFull: isFull };
  }

  /** Resource usage of the processes; memory is undefined if the system does not report it. */
  usage(): { readonly isComplete: boolean; readonly memoryBytes: number | undefined } {
    const desiredComponents = COMPONENTS.filter((component) => this.#desired?.launches[component] !== undefined);
    let memoryBytes: number | undefined;
    for (const component of COMPONENTS) {
      const { process } = this.#members[component];
      const taken = process && this.#options.host.memoryBytes(process.identity);
      if (taken !== undefined) memoryBytes = (memoryBytes ?? 0) + taken;
    }
    const isComplete =
      desiredComponents.length > 0 &&
      desiredComponents.every((component) => this.#members[component].process !== undefined);
    return { isComplete, memoryBytes };
  }

  /** Runs a pass now; a pass in progress is followed by another. */
  #poke(): Promise<void> {
    if (this.#isDetached) return this.#pass ?? Promise.resolve();
    if (this.#pass !== undefined) {
      this.#isPassDue = true;
      return this.#pass;
    }
    this.#timer?.cancel();
    this.#isPassDue = false;
    this.#pass = this.#run().finally(() => {
      this.#pass = undefined;
      if (this.#isPassDue) void this.#poke();
    });
    return this.#pass;
  }

  async #run(): Promise<void> {
    try {
      // Another process, which now manages the control plane, writes the same pid files.
      if (this.#mayAct()) await this.#observe();
      if (this.#mayAct()) this.#act();
    } catch (error) {
      this.#options.log.error({ err: error }, 'could not supervise a control plane');
    }
    if (this.#isDetached) return;
    this.#announce();
    if (COMPONENTS.every((component) => this.#members[component].process === undefined)) {
      if (this.#mayAct()) this.#hibernating?.resolve();
      this.#stopping?.resolve();
      if (this.#stopping) return;
    }
    this.#timer = this.#options.clock.after(this.#nextCheckMs(), () => void this.#poke());
  }

  async #observe(): Promise<void> {
    for (const component of COMPONENTS) this.#findProcess(component);
    if (this.#stopping === undefined) await Promise.all(COMPONENTS.map((component) => this.#probe(component)));
    await this.#logs.step(COMPONENTS.map((component) => this.#path(logPath(component))));
  }

  #findProcess(component: Component): void {
    const { host, files, clock } = this.#options;
    const member = this.#members[component];
    if (member.process !== undefined) {
      const { identity } = member.process;
      const isAlive = host.identify(identity.pid)?.started === identity.started;
      if (!isAlive) this.#onExit(component, member, member.process);
      else member.resetFailuresWhenStable(member.process, clock.now());
      return;
    }
    const text = files.read(this.#path(pidPath(component)));
    if (text === undefined) return;
    const record = parsePidFile(text);
    const isAlive = record && host.identify(record.process.pid)?.started === record.process.started;
    if (record === undefined || !isAlive) {
      files.remove(this.#path(pidPath(component)));
      return;
    }
    this.#options.log.info({ component, pid: record.process.pid }, 'process adopted');
    member.process = runningProcess(record.process, record.fingerprint, clock.now());
  }

  #onExit(component: Component, member: Member, process: RunningProcess): void {
    const { files, log } = this.#options;
    const { identity, sinceMs, terminatedAtMs, killReason } = process;
    member.process = undefined;
    files.remove(this.#path(pidPath(component)));
    log.info({ component, pid: identity.pid, asked: terminatedAtMs !== undefined }, 'process ended');
    if (terminatedAtMs === undefined || killReason) this.#recordFailure(component, member, sinceMs, killReason);
  }

  #recordFailure(component: Component, member: Member, sinceMs: number, message?: string): void {
    const { files, clock, log } = this.#options;
    const complaint = message ?? lastErrorLine(files.tail(this.#path(logPath(component)), ERROR_TAIL_BYTES));
    this.#options.onFailure?.();
    member.fail(sinceMs, clock.now(), complaint ?? 'it exited without an error message');
    // The full database may be the cause of the failure.
    if (this.#members.etcd.process) this.#members.etcd.process.probedAtMs = undefined;
    const { failures, lastFailure } = member;
    log.warn({ component, failures, complaint: lastFailure }, 'process failed');
  }

  async #probe(component: Component): Promise<void> {
    const { clock } = this.#options;
    const { process } = this.#members[component];
    if (process === undefined) return;
    const isDue = process.probedAtMs === undefined || clock.now() - process.probedAtMs >= PROBE_PERIOD_MS;
    if (process.ready && !isDue) return;
    process.probedAtMs = clock.now();
    process.killReason ??= this.#killReason(component, process);
    process.ready = await this.#isServing(component);
    process.unreadySinceMs = process.ready ? undefined : (process.unreadySinceMs ?? clock.now());
  }

  #killReason(component: Component, { identity }: RunningProcess): string | undefined {
    const limit = this.#desired?.launches[component]?.memoryBytes;
    const taken = this.#options.host.memoryBytes(identity);
    if (limit === undefined || taken === undefined || taken <= limit) return undefined;
    const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
    return `it used ${mebibytes(taken)} MiB of memory; the plan allows ${mebibytes(limit)} MiB`;
  }

  async #isServing(component: Component): Promise<boolean> {
    const { probes, folder } = this.#options;
    switch (component) {
      case 'etcd': {
        const status = await probes.etcd(folder);
        if (status) this.#updateDatabase(status);
        return status !== undefined;
      }
      case 'kube-apiserver':
        return this.#desired !== undefined && (await probes.apiServer(this.#desired.apiServer));
      case 'kube-controller-manager':
      case 'kube-scheduler':
        // The other components have no readiness to probe, and exit if they can't work. Until its pid file exists, the
        // process is the shell that writes it.
        return (
          this.#members[component].process?.ready === true ||
          this.#options.files.read(this.#path(pidPath(component))) !== undefined
        );
    }
  }

  /** Once the database accepts writes, ends the backoff of components that stopped because it was full. */
  #updateDatabase(database: EtcdStatus): void {
    const hasSpaceAgain = this.#database?.isFull === true && !database.isFull;
    this.#database = database;
    if (!hasSpaceAgain) return;
    for (const member of Object.values(this.#members)) member.resetBackoff();
  }

  #act(): void {
    const nowMs = this.#options.clock.now();
    const observed = this.#observed();
    if (this.#stopping ?? this.#hibernating) return this.#take(planStop(observed, nowMs));
    const { launches } = this.#desired ?? {};
    if (launches === undefined) return;
    this.#take(
      planSteps(
        mapLaunches(launches, ({ fingerprint }) => fingerprint),
        observed,
        nowMs,
      ),
    );
  }

  #observed(): ObservedComponents {
    return perComponent((component) => {
      const { process, retryAtMs } = this.#members[component];
      return { process, retryAtMs };
    });
  }

  #take(steps: readonly Step[]): void {
    for (const step of steps) {
      const member = this.#members[step.component];
      if (step.do === 'start') this.#start(step.component, member);
      else if (member.process !== undefined) this.#end(step, member.process);
    }
  }

  #start(component: Component, member: Member): void {
    const { host, clock, folder, log } = this.#options;
    const launch = this.#desired?.launches[component];
    if (launch === undefined) return;
    try {
      const files = { logFile: this.#path(logPath(component)), pidFile: this.#path(pidPath(component)) };
      const identity = host.spawn({ ...launch, ...files, folder }, () => void this.#poke());
      log.info({ component, pid: identity.pid }, 'process started');
      member.process = runningProcess(identity, launch.fingerprint, clock.now());
    } catch (error) {
      this.#recordFailure(component, member, clock.now(), error instanceof Error ? error.message : String(error));
    }
  }

  #end(step: Exclude<Step, { do: 'start' }>, process: RunningProcess): void {
    const { host, clock, log } = this.#options;
    const { component } = step;
    log.info({ component, pid: process.identity.pid, step: step.do }, 'killing a process');
    process.terminatedAtMs ??= clock.now();
    if (step.do === 'terminate' && step.reason === 'hangs') process.killReason = HANG_MESSAGE;
    host.signal(process.identity, step.do === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  #nextCheckMs(): number {
    if (this.#isSteady()) return STEADY_POLL_INTERVAL_MS;
    if (this.#stopping ?? this.#hibernating) return MIN_POLL_INTERVAL_MS;
    return nextCheckMs(this.#observed(), this.#options.clock.now());
  }

  #isSteady(): boolean {
    const { components } = this.state;
    return (
      this.#stopping === undefined &&
      this.#hibernating === undefined &&
      COMPONENTS.every((name) => components[name].ready && components[name].current)
    );
  }

  #announce(): void {
    const { components, isDatabaseFull, databaseBytes = 0 } = this.state;
    const isDue = databaseBytes >= (this.#desired?.databaseDueBytes ?? Number.POSITIVE_INFINITY);
    const seen = JSON.stringify([components, isDatabaseFull, isDue]);
    if (seen === this.#announced) return;
    this.#announced = seen;
    this.#options.onChange();
  }
}

function mapLaunches<T>(
  launches: DesiredControlPlane['launches'],
  map: (launch: ComponentLaunch) => T,
): Partial<Record<Component, T>> {
  return Object.fromEntries(Object.entries(launches).map(([component, launch]) => [component, map(launch)]));
}
