import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localProcessHost, parsePidFile } from '@fairway/control-plane/process/process-host';
import { Home, identifyProcess } from '@fairway/service/up/home';

/** A file in a simulated control plane's directory. */
export const PID_FILE = 'run/kube-apiserver.pid';

/** Kills the simulated control planes of a home, which outlive its replicas. */
export async function killControlPlanes(home: string): Promise<void> {
  const folder = new Home(home).simulatedControlPlanes;
  for (const uid of await readdir(folder).catch(() => [])) {
    const record = parsePidFile(await readFile(join(folder, uid, PID_FILE), 'utf8').catch(() => ''));
    if (record) localProcessHost(identifyProcess).signal(record.process, 'SIGKILL');
  }
}
