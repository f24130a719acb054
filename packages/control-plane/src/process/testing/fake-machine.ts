import { basename } from 'node:path';
import type { Component } from '../components.ts';
import type { Files } from '../files.ts';
import type { EtcdStatus, Probes } from '../probes.ts';
import type { Launch, ProcessHost, ProcessIdentity } from '../process-host.ts';

/** Files in memory. */
export class MemoryFiles implements Files {
  readonly texts = new Map<string, string>();

  read(path: string): string | undefined {
    return this.texts.get(path);
  }

  write(path: string, text: string): Promise<void> {
    this.texts.set(path, text);
    return Promise.resolve();
  }

  async create(path: string, text: string): Promise<boolean> {
    if (this.texts.has(path)) return false;
    await this.write(path, text);
    return true;
  }

  remove(path: string): void {
    this.texts.delete(path);
  }

  makeFolder(): Promise<void> {
    return Promise.resolve();
  }

  removeFolder(path: string): Promise<void> {
    for (const name of this.texts.keys()) if (name.startsWith(`${path}/`)) this.texts.delete(name);
    return Promise.resolve();
  }

  emptyFolder(path: string, kept: string): Promise<void> {
    for (const name of this.texts.keys()) {
      if (name.startsWith(`${path}/`) && name !== `${path}/${kept}`) this.texts.delete(name);
    }
    return Promise.resolve();
  }

  folders(path: string): readonly string[] {
    const descendants = [...this.texts.keys()].filter((name) => name.startsWith(`${path}/`));
    return [...new Set(descendants.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''))];
  }

  size(path: string): number {
    return this.read(path)?.length ?? 0;
  }

  tail(path: string, bytes: number): string {
    return this.read(path)?.slice(-bytes) ?? '';
  }

  async rotate(path: string, copy: string): Promise<void> {
    await this.write(copy, this.read(path) ?? '');
    await this.write(path, '');
  }
}

interface FakeProcess {
  readonly identity: ProcessIdentity;
  readonly component: Component;
  readonly launch: Launch;
  readonly onExit: () => void;
}

/** A machine whose processes are ready immediately by default and exit on SIGTERM. It outlives its supervisors. */
export class FakeMachine implements ProcessHost, Probes {
  readonly files = new MemoryFiles();
  readonly running = new Map<number, FakeProcess>();
  /** Actions in order, such as `start etcd` or `SIGTERM kube-apiserver`. */
  readonly events: string[] = [];
  /** Components that exit immediately after they start, and their last log lines. */
  readonly broken = new Map<Component, string>();
  /** Components that run but do not respond. */
  readonly silent = new Set<Component>();
  /** Components that exit before writing their pid file. */
  readonly slow = new Set<Component>();
  databaseBytes = 4096;
  /** Hash of the policy file that the API server has loaded. */
  loadedPolicies: string | undefined;
  /** Whether etcd's quota is exceeded. */
  isFull = false;
  /** Memory usage of processes; unknown for processes that are not listed. */
  readonly memory = new Map<Component, number>();
  /** Components that ignore SIGTERM. */
  readonly stubborn = new Set<Component>();
  /** Number of checks for whether a process is alive. */
  reads = 0;
  #nextPid = 100;

  spawn(launch: Launch, onExit: () => void): ProcessIdentity {
    const component = basename(launch.command) as Component;
    const identity = { pid: this.#nextPid++, started: String(this.#nextPid) };
    this.events.push(`start ${component}`);
    const complaint = this.broken.get(component);
    if (complaint !== undefined) {
      this.files.texts.set(launch.logFile, complaint);
      return identity;
    }
    this.running.set(identity.pid, { identity, component, launch, onExit });
    if (!this.slow.has(component)) this.writePidFile(component);
    return identity;
  }

  writePidFile(component: Component): void {
    const process = this.find(component);
    if (process === undefined) throw new Error(`${component} does not run`);
    const { identity, launch } = process;
    this.files.texts.set(launch.pidFile, `${identity.pid} ${launch.fingerprint} ${identity.started}\n`);
  }

  identify(pid: number): ProcessIdentity | undefined {
    this.reads++;
    return this.running.get(pid)?.identity;
  }

  memoryBytes({ pid }: ProcessIdentity): number | undefined {
    const component = this.running.get(pid)?.component;
    return component && this.memory.get(component);
  }

  signal({ pid }: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void {
    const process = this.running.get(pid);
    if (process === undefined) return;
    this.events.push(`${signal} ${process.component}`);
    if (signal === 'SIGKILL' || !this.stubborn.has(process.component)) this.end(process.component);
  }

  etcd(folder: string): Promise<EtcdStatus | undefined> {
    const process = this.find('etcd');
    const serves = process?.launch.folder === folder && !this.silent.has('etcd');
    const { databaseBytes, isFull } = this;
    return Promise.resolve(serves ? { databaseBytes, revision: 7, isFull } : undefined);
  }

  apiServer(): Promise<boolean> {
    const isSilent = this.silent.has('kube-apiserver') || this.silent.has('etcd');
    return Promise.resolve(this.find('kube-apiserver') !== undefined && !isSilent);
  }

  policies(): Promise<string | undefined> {
    return Promise.resolve(this.loadedPolicies);
  }

  find(component: Component): FakeProcess | undefined {
    return [...this.running.values()].find((process) => process.component === component);
  }

  /** Makes the process exit, for any reason. */
  end(component: Component): void {
    const process = this.find(component);
    if (process === undefined) return;
    this.running.delete(process.identity.pid);
    process.onExit();
  }

  /** Actions since the last call. */
  takeEvents(): string[] {
    return this.events.splice(0);
  }
}
