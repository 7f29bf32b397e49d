import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { EvaluationLimits } from './evaluator.js';

/** Memory of the process for JavaScript objects; beyond it the process ends. */
export const maxHeapMb = 64;

const entry = fileURLToPath(new URL('./evaluator-process.js', import.meta.url));

/**
 * Starts a process without environment variables, at low priority, that does not keep this one alive. Without resources
 * of the system it throws, or returns a process without `send` that emits `error`.
 */
export function startEvaluator(limits: EvaluationLimits): ChildProcess {
  const started = fork(entry, [JSON.stringify(limits)], {
    env: {},
    execArgv: [`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=4', '--stack-size=800'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  started.unref();
  started.channel?.unref();
  lowerPriority(started);
  return started;
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not allow it: evaluations then compete with deliveries.
  }
}
