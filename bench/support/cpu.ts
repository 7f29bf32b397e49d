import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { median } from './in-turns.js';

/** 1 is a whole core; undefined if the system does not report it. */
export type CoresBusy = Readonly<Record<string, number | undefined>>;

const ticksPerSecond = 100; // in every Linux, for any kernel setting

/** Fields from the third one on: the name before them may contain spaces and parentheses (proc_pid_stat(5)). */
function statOf(pid: number | 'self'): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Throws outside Linux. */
export function childrenCpuSeconds(): number {
  const fields = statOf('self');
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond; // `cutime` and `cstime` are the 16th and 17th
}

/** Undefined outside Linux, or for a process elsewhere. */
function cpuSeconds(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond; // `utime` and `stime` are the 14th and 15th
}

const machineSeconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + (user + nice + sys + irq) / 1_000, 0);

const everythingElse = 'everything else';

/** Watches processes until the result is called, and the rest of the machine, which matters only if it is shared. */
export function watchCpu(processes: Readonly<Record<string, number | undefined>>): () => CoresBusy {
  const pids = Object.entries(processes);
  const before = new Map(pids.map(([name, pid]) => [name, cpuSeconds(pid)]));
  const machineBefore = machineSeconds();
  const began = performance.now();
  return () => {
    const seconds = (performance.now() - began) / 1_000;
    const busy = pids.map(([name, pid]): [string, number | undefined] => {
      const [from, to] = [before.get(name), cpuSeconds(pid)];
      return [name, from === undefined || to === undefined ? undefined : (to - from) / seconds];
    });
    const known = busy.reduce((sum, [, cores = 0]) => sum + cores, 0);
    const others = Math.max(0, (machineSeconds() - machineBefore) / seconds - known);
    return Object.fromEntries([...busy, [everythingElse, others]]);
  };
}

export const medianCoresBusy = (times: readonly CoresBusy[]): CoresBusy =>
  Object.fromEntries(
    Object.keys(times[0] ?? {}).map((name) => {
      const cores = times.flatMap((busy) => busy[name] ?? []);
      return [name, cores.length === 0 ? undefined : Number(median(cores).toFixed(2))];
    }),
  );

/** Names the bound, as far as this machine shows it. */
export function whatBinds(busy: CoresBusy): string {
  const known = Object.entries(busy).flatMap(([name, cores]) => (cores === undefined ? [] : [{ name, cores }]));
  const [most] = known.toSorted((a, b) => b.cores - a.cores);
  const total = known.reduce((sum, { cores }) => sum + cores, 0);
  if (!most) return 'not known: no process can be seen';
  if (total >= 0.85 * availableParallelism()) {
    return `the ${availableParallelism()} cores that all share, most of them ${most.name}`;
  }
  if (most.cores >= 0.85) return `${most.name}: a core of its own is full`;
  return 'waiting for answers: neither the cores nor one process is full';
}
