import { type Evaluated, type EvaluationLimits, evaluator } from './evaluator.js';

/** Messages to and from the process; one evaluation at a time. */
export type EvaluationRequest = { expression: string; body: string };
export type EvaluationAnswer = Evaluated & {
  /** Processor time of the process for it. */
  cpuMs: number;
};

const limits = JSON.parse(process.argv[2] ?? '') as EvaluationLimits; // of the process that has started this one
const evaluate = evaluator(limits);

process.on('message', ({ expression, body }: EvaluationRequest) => {
  const before = process.cpuUsage();
  const evaluated = evaluate(expression, body);
  const { user, system } = process.cpuUsage(before); // microseconds
  process.send?.({ ...evaluated, cpuMs: (user + system) / 1_000 } satisfies EvaluationAnswer);
});
process.on('disconnect', () => process.exit());
