import { readFileSync } from 'node:fs';

/** The most memory that a process has held resident so far, in MiB; undefined where it is not known, or this is no Linux. */
export function peakResidentMb(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')); // proc_pid_status(5)
  return peak ? Number(peak[1]) / 1_024 : undefined;
}
