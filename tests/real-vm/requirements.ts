import { spawnSync } from 'node:child_process';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { isDebian12 } from '../hosts/requirements.ts';
import { VM_TESTBED } from '../hosts/testbed.ts';
import { type RealNodeTools, toolsFor } from '../real-nodes/requirements.ts';

/**
 * What tests with virtual machines need. Disk images are built manually, because they are too expensive for a run of
 * all tests.
 */
export function realVmTools(): Promise<RealNodeTools> {
  const missingRequirements = [...(process.getuid?.() === 0 ? [] : ['root']), ...(isDebian12() ? [] : ['Debian 12'])];
  return toolsFor(missingRequirements.length > 0 ? missingRequirements : missingForTestbed());
}

function missingForTestbed(): string[] {
  if (!findExecutable(['/usr/bin'], 'qemu-system-x86_64')) return ['qemu-system-x86'];
  const { stdout } = spawnSync(VM_TESTBED, ['lacks'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
