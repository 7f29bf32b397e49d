import type { ChildProcess } from 'node:child_process';
import type { EvaluationLimits } from './evaluator.js';
import type { EvaluationAnswer, EvaluationRequest } from './evaluator-process.js';
import { FairQueue } from './fair-queue.js';
import { maxHeapMb, startEvaluator } from './start-evaluator.js';

/**
 * `failed`: the expression's fault; `isOverTime`: it exceeded the limit of time or memory. `busy`: no fault; it may be
 * tried later.
 */
export type Transformed =
  | { kind: 'done'; body: string }
  | { kind: 'failed'; reason: string; isOverTime?: true }
  | { kind: 'busy' };

/** `isSlow`: it occupied the process for long. */
type Evaluation = Transformed & { isSlow?: true };

type Job = {
  orgId: string;
  request: EvaluationRequest;
  settle: (evaluation: Evaluation) => void;
  waitUntil: number;
  /** True if the job has already failed with another process: the end of this one is its failure. */
  isSuspect: boolean;
};

export type EvaluationProcess = {
  /** Organisations get equal time, and different owners of one take turns. Never rejects. */
  add: (of: { orgId: string; owner: string }, request: EvaluationRequest) => Promise<Evaluation>;
  /** Jobs are answered `busy` from now on. */
  stop: () => void;
};

/** Maximum time that a job waits for its turn, shorter than a delivery's lease. */
const maxWaitMs = 20_000;
/** The process ends itself after its time limit; if it cannot, it is killed after this time more. */
const killAfterMs = 2_000;
/** Share of the processor below which an evaluation that was over its time is not to blame. */
const minShare = 0.05;
/** Interval before another process is started after one could not be. */
const restartMs = 1_000;

/**
 * A process that evaluates one expression at a time, started on demand and again after its end; not a thread, because
 * exhausted memory of a thread may end the service. `slowAfterCpuMs`: processor time; the first evaluation of an
 * expression takes about 20 ms.
 */
export function evaluationProcess(
  limits: EvaluationLimits,
  slowAfterCpuMs: number,
  startProcess = startEvaluator,
): EvaluationProcess {
  const waiting = new FairQueue<Job>();
  let child: ChildProcess | undefined;
  let current: Job | undefined;
  let startedAt = 0; // of the current job
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start(): ChildProcess {
    const started = startProcess(limits);
    started.on('message', (answer: EvaluationAnswer) => {
      if (child === started) settle(evaluationOf(answer, limits, slowAfterCpuMs));
    });
    started.on('exit', () => {
      if (child !== started) return;
      child = undefined;
      if (current && !current.isSuspect) {
        current.isSuspect = true; // the process may have ended because of the job before
        send(current);
        return;
      }
      settle({
        kind: 'failed',
        reason: `it uses more than ${maxHeapMb} MB of memory, or ended its process`,
        isOverTime: true,
        isSlow: true,
      });
    });
    started.on('error', () => {
      if (child === started) answerBusySoon();
    });
    return started;
  }

  /** Answers jobs `busy` until the next start: the system has no descriptors, processes or memory for a process at the moment. */
  function answerBusySoon(): void {
    child = undefined;
    clearTimeout(timer);
    timer = setTimeout(() => settle({ kind: 'busy' }), restartMs);
  }

  function send(job: Job): void {
    clearTimeout(timer);
    timer = setTimeout(() => child?.kill('SIGKILL'), limits.timeMs + killAfterMs);
    try {
      child ??= start();
      child.send(job.request, () => undefined); // a failure to send is followed by the end of the process
    } catch {
      answerBusySoon(); // it could not be started: it has no `send` then
    }
  }

  function settle(evaluation: Evaluation): void {
    clearTimeout(timer);
    const job = current;
    current = undefined;
    if (job) waiting.charge(job.orgId, performance.now() - startedAt);
    job?.settle(evaluation);
    next();
  }

  function next(): void {
    if (current || stopped) return;
    for (let job = waiting.take(); job; job = waiting.take()) {
      if (performance.now() <= job.waitUntil) {
        current = job;
        startedAt = performance.now();
        send(job);
        return;
      }
      job.settle({ kind: 'busy' });
    }
  }

  return {
    add: ({ orgId, owner }, request) =>
      new Promise((settleJob) => {
        if (stopped) {
          settleJob({ kind: 'busy' });
          return;
        }
        const waitUntil = performance.now() + maxWaitMs;
        waiting.add(orgId, owner, { orgId, request, settle: settleJob, waitUntil, isSuspect: false });
        next();
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      const ended = child;
      child = undefined;
      ended?.kill('SIGKILL');
      for (const job of [...(current ? [current] : []), ...waiting.clear()]) job.settle({ kind: 'busy' });
      current = undefined;
    },
  };
}

/** An evaluation that got next to nothing of the processor is not to blame: the machine was suspended, or is overloaded. */
function evaluationOf(
  { cpuMs, ...answer }: EvaluationAnswer,
  { timeMs }: EvaluationLimits,
  slowAfterCpuMs: number,
): Evaluation {
  const slowness = cpuMs > slowAfterCpuMs ? isSlow : {};
  if ('body' in answer) return { kind: 'done', ...answer, ...slowness };
  if (!answer.isOverTime) return { kind: 'failed', ...answer, ...slowness };
  return cpuMs < timeMs * minShare ? { kind: 'busy', ...isSlow } : { kind: 'failed', ...answer, ...isSlow };
}

const isSlow = { isSlow: true } as const;
