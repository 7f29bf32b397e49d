import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Evaluated, EvaluationLimits } from './evaluator.js';
import type { EvaluationAnswer, EvaluationRequest } from './evaluator-process.js';

/** `failed`: the expression's fault. `busy`: none; it may be tried later. */
export type Transformed =
  | { readonly kind: 'done'; readonly body: string }
  | {
      readonly kind: 'failed';
      readonly reason: string /** It exceeded the limit of time or memory. */;
      readonly isOverTime?: true;
    }
  | { readonly kind: 'busy' };

/** `cpuMs`: what the evaluation took; 0 if it did not end, or was not begun. */
type Settled = { readonly transformed: Transformed; readonly cpuMs: number };

type Job = {
  readonly request: EvaluationRequest;
  readonly settle: (settled: Settled) => void;
  readonly waitUntil: number;
  /** Whether the end of the process is a failure of this job: it was tried in another process before, or was over its time. */
  isSuspect: boolean;
};

export type Lane = {
  /** `key`: jobs of different keys take turns. Never rejects. */
  readonly add: (key: string, request: EvaluationRequest) => Promise<Settled>;
  /** Jobs are answered `busy` from now on. */
  readonly stop: () => void;
};

/** Memory of the process for JavaScript objects; beyond it the process ends. */
const maxHeapMb = 64;
/** Maximum time that a job waits for its turn, shorter than a delivery's lease. */
const maxWaitMs = 20_000;
/** The process ends itself after its time limit; if it cannot, it is killed after this time more. */
const killAfterMs = 2_000;
/** Interval before another process is started after one could not be. */
const restartMs = 1_000;

const busy: Settled = { transformed: { kind: 'busy' }, cpuMs: 0 };

const endedProcess: Transformed = {
  kind: 'failed',
  reason: `it uses more than ${maxHeapMb} MB of memory, or ended its process`,
  isOverTime: true,
};

const transformedBy = (evaluated: Evaluated): Transformed =>
  'body' in evaluated ? { kind: 'done', ...evaluated } : { kind: 'failed', ...evaluated };

const entry = fileURLToPath(new URL('./evaluator-process.js', import.meta.url));

/**
 * One process that evaluates one expression at a time, started with the first and again after its end. A process, not a thread: an
 * expression that exhausts the memory of a thread may end the whole process. Low priority: deliveries come first.
 */
export function lane(limits: EvaluationLimits): Lane {
  const waiting = new Map<string, Job[]>(); // the first key is next
  let child: ChildProcess | undefined;
  let current: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start(): ChildProcess {
    const started = fork(entry, [JSON.stringify(limits)], {
      env: {},
      execArgv: [`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=4', '--stack-size=800'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.unref();
    started.channel?.unref();
    started.on('message', ({ evaluated, cpuMs }: EvaluationAnswer) => {
      if (child === started) settle(transformedBy(evaluated), cpuMs);
    });
    started.on('exit', () => {
      if (child !== started) return;
      child = undefined;
      if (current && !current.isSuspect) {
        current.isSuspect = true; // the process may have ended because of the job before
        send(current);
        return;
      }
      settle(endedProcess);
    });
    started.on('error', () => {
      if (child !== started) return;
      child = undefined;
      setTimeout(() => settle({ kind: 'busy' }), restartMs).unref();
    });
    lowerPriority(started);
    return started;
  }

  function send(job: Job): void {
    clearTimeout(timer);
    child ??= start();
    timer = setTimeout(() => {
      job.isSuspect = true;
      child?.kill('SIGKILL');
    }, limits.timeMs + killAfterMs);
    child.send(job.request, () => undefined); // a failure to send is followed by the end of the process
  }

  function settle(transformed: Transformed, cpuMs = 0): void {
    clearTimeout(timer);
    const job = current;
    current = undefined;
    job?.settle({ transformed, cpuMs });
    next();
  }

  function next(): void {
    if (current || stopped) return;
    for (const [key, jobs] of waiting) {
      const job = jobs.shift();
      waiting.delete(key);
      if (jobs.length > 0) waiting.set(key, jobs); // behind the others
      if (!job) continue;
      if (performance.now() > job.waitUntil) {
        job.settle(busy);
        continue;
      }
      current = job;
      send(job);
      return;
    }
  }

  return {
    add: (key, request) =>
      new Promise((settleJob) => {
        if (stopped) {
          settleJob(busy);
          return;
        }
        const job = { request, settle: settleJob, waitUntil: performance.now() + maxWaitMs, isSuspect: false };
        waiting.set(key, [...(waiting.get(key) ?? []), job]);
        next();
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      const ended = child;
      child = undefined;
      ended?.kill('SIGKILL');
      for (const job of [...(current ? [current] : []), ...[...waiting.values()].flat()]) job.settle(busy);
      current = undefined;
      waiting.clear();
    },
  };
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not allow it: evaluations then compete with deliveries.
  }
}
