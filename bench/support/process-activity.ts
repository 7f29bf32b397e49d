import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process and its wake-ups, with all its threads. */
export type Activity = { readonly cpuMs: number; readonly wakeUps: number };

/** `voluntary_ctxt_switches` of /proc/<pid>/task/<tid>/status: how often a thread began to wait (proc_pid_status(5)). */
const switches = /^voluntary_ctxt_switches:\s+(\d+)$/m;

/** Resources that a process has used since it started. Throws on other systems than Linux. */
function activityOf(pid: number): Activity {
  let nanoseconds = 0;
  let wakeUps = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${thread}`;
    try {
      nanoseconds += Number(readFileSync(`${path}/schedstat`, 'utf8').split(' ')[0]);
      wakeUps += Number(switches.exec(readFileSync(`${path}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // the thread has ended
    }
  }
  return { cpuMs: nanoseconds / 1e6, wakeUps };
}

/** Watches processes until the returned function is called, which returns what they used meanwhile, together. */
export function watchActivity(...pids: readonly (number | undefined)[]): () => Activity & { readonly seconds: number } {
  const known = pids.filter((pid) => pid !== undefined);
  const sum = (): Activity =>
    known
      .map(activityOf)
      .reduce((all, { cpuMs, wakeUps }) => ({ cpuMs: all.cpuMs + cpuMs, wakeUps: all.wakeUps + wakeUps }), {
        cpuMs: 0,
        wakeUps: 0,
      });
  const before = sum();
  const began = performance.now();
  return () => {
    const { cpuMs, wakeUps } = sum();
    const seconds = (performance.now() - began) / 1_000;
    return { cpuMs: cpuMs - before.cpuMs, wakeUps: wakeUps - before.wakeUps, seconds };
  };
}

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
