import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Memory and CPU usage of several processes, summed. */
export interface Usage {
  readonly rssBytes: number;
  /** User and system time since each process started. */
  readonly cpuMs: number;
}

/** Linux clock ticks per second (USER_HZ): 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

export function usageOf(pids: readonly number[]): Usage {
  let rssBytes = 0;
  let cpuMs = 0;
  for (const pid of pids) {
    const usage = process.platform === 'linux' ? usageFromProc(pid) : usageFromPs(pid);
    rssBytes += usage.rssBytes;
    cpuMs += usage.cpuMs;
  }
  return { rssBytes, cpuMs };
}

/** Open files and sockets of a process, and the limit; undefined if unavailable. */
export function openFilesOf(pid: number): { readonly open: number; readonly limit: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return limit === undefined ? undefined : { open: readdirSync(`/proc/${pid}/fd`).length, limit: Number(limit) };
}

/** proc(5). */
function usageFromProc(pid: number): Usage {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { rssBytes: Number(kilobytes) * 1024, cpuMs: (ticks * 1000) / TICKS_PER_SECOND };
}

function usageFromPs(pid: number): Usage {
  const output = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], { encoding: 'utf8' });
  const [kilobytes = '0', time = '0'] = output.trim().split(/\s+/);
  const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return { rssBytes: Number(kilobytes) * 1024, cpuMs: seconds * 1000 };
}
