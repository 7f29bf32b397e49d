/** V8's limits are for the whole machine's memory: on 16 GB, each thread's young generation may have 96 MB. */
const flags: readonly string[] = [
  // Objects of a request, an event or a delivery die within a few megabytes of others (decision 11).
  '--max-semi-space-size=8',
  // The heap may grow by half between collections of the old generation, not several times.
  '--heap-growing-percent=50',
  // The modules alone need nearly as much: a start without collections of them takes an eighth less processor time.
  '--initial-old-space-size=64',
  '--expose-gc',
];

/** glibc gives each of some 15 threads an arena, and returns little of it to the system. */
const arenas = '2';

/**
 * Replaces this process by one with bounded memory: V8 and the C library read their limits at the start only. Does
 * nothing with limits that the caller has set, or where no process can be replaced (Windows, Node before 22.15).
 */
export function restartWithBoundedMemory(): void {
  const isBounded = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((each) => /semi[-_]space/.test(each));
  if (isBounded || process.execve === undefined || process.platform === 'win32') return;
  const { execPath, execArgv, argv, env } = process;
  process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], {
    ...env,
    MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? arenas,
  });
}

/** Not at once: it blocks the thread for a tenth of a second, when a start has the most to do. */
const releaseAfterMs = 4_000;

/** Collects the texts of modules, and the young generation at its full size, soon after a start. */
export function releaseMemoryOfStart(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    releaseAfterMs,
  ).unref();
}
