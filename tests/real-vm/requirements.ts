import { spawnSync } from 'node:child_process';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { isDebian12 } from '../hosts/requirements.ts';
import { VM_TESTBED } from '../hosts/testbed.ts';
import { type RealNodesTools, toolsFor } from '../real-nodes/requirements.ts';

/** Requirements of tests with virtual machines. Disk images are built by hand: their cost has no place in a run of all tests. */
export function realMachinesNeed(): Promise<RealNodesTools> {
  const lacked = [...(process.getuid?.() === 0 ? [] : ['root']), ...(isDebian12() ? [] : ['Debian 12'])];
  return toolsFor(lacked.length > 0 ? lacked : whatTestbedLacks());
}

function whatTestbedLacks(): string[] {
  if (!findExecutable(['/usr/bin'], 'qemu-system-x86_64')) return ['qemu-system-x86'];
  const { stdout } = spawnSync(VM_TESTBED, ['lacks'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
