import { readFileSync } from 'node:fs';

/** A field of proc_pid_status(5) in KiB; undefined where it is not known, or this is no Linux. */
function statusKb(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const [, kb] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kb === undefined ? undefined : Number(kb);
}

/** The most memory that a process has held resident so far, in MiB; undefined where it is not known, or this is no Linux. */
export function peakResidentMb(pid: number | undefined): number | undefined {
  const kb = statusKb(pid, 'VmHWM');
  return kb === undefined ? undefined : kb / 1_024;
}

/** The memory that a process holds resident, in bytes; 0 where it is not known, or this is no Linux. */
export const residentBytes = (pid: number | undefined): number => (statusKb(pid, 'VmRSS') ?? 0) * 1_024;
