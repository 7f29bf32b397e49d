import { readdirSync, readFileSync } from 'node:fs';

export type Activity = { cpuMs: number; wakeUps: number };

/** proc_pid_status(5): waits of a thread. */
const switches = /^voluntary_ctxt_switches:\s+(\d+)$/m;

/** Activity with all threads. Throws outside Linux. */
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

export function watchActivity(...pids: readonly (number | undefined)[]): () => Activity & { seconds: number } {
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

/** KiB; undefined outside Linux. */
function statusKb(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const [, kb] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kb === undefined ? undefined : Number(kb);
}

/** Undefined outside Linux. */
export function peakResidentMb(pid: number | undefined): number | undefined {
  const kb = statusKb(pid, 'VmHWM');
  return kb === undefined ? undefined : kb / 1_024;
}

/** 0 outside Linux. */
export const residentBytes = (pid: number | undefined): number => (statusKb(pid, 'VmRSS') ?? 0) * 1_024;
