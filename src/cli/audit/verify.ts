import { setTimeout as pause } from 'node:timers/promises';
import { showVerificationRoute, startVerificationRoute } from '../../admin/api/contracts/views.js';
import { ViewsDiffer } from '../../audit/errors.js';
import type { ViewDifference } from '../../audit/verify-views.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';
import { viewNames } from '../views/names.js';

/** The verification ended without a result. */
class NotVerified extends DomainError {
  readonly code = 'not_verified';
}

/** Verifies all views, by the routes of a service or in this process. Throws `ViewsDiffer`, and the errors of the routes. */
export async function verify(_: object, { output, call }: CommandContext): Promise<void> {
  const names = viewNames.split(', ');
  const progress = progressOf(output);
  const found = { differences: 0, skipped: 0 };
  for (const name of names) {
    const last = await verifyView(name, call, progress.report).finally(progress.end);
    found.differences += last.differences;
    found.skipped += last.skipped;
    for (const difference of last.first) printResult(output, difference, lineOf(difference));
  }
  const { differences, skipped } = found;
  if (differences > 0) throw new ViewsDiffer(`the views differ from the events: differences ${differences}`);
  const butFor = skipped === 0 ? '' : `, except for skipped events ${skipped}`;
  const text = `${counted(names.length, 'view matches', 'views match')} the events${butFor}: ${names.join(', ')}`;
  printResult(output, { views: names, differences, skipped }, text);
}

const firstPauseMs = 20;
const maxPauseMs = 500;
/** Maximum number of requests after the end: of several instances, the one that verified may answer seldom. */
const maxChecks = 50;

async function verifyView(
  name: string,
  call: CommandContext['call'],
  report: (phase: string, done: number, total: number) => void,
) {
  const before = (await call(showVerificationRoute, { name })).last?.startedAt;
  let { running, last } = await call(startVerificationRoute, { name });
  let pauseMs = firstPauseMs;
  for (let checks = 0; running || last === null || last.startedAt === before; checks += running ? 0 : 1) {
    if (checks === maxChecks) throw new NotVerified(`the service does not say what the verification of ${name} found`);
    if (running) report(`${running.phase} ${name}`, Number(running.done), Number(running.total));
    await pause(pauseMs);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    ({ running, last } = await call(showVerificationRoute, { name }));
  }
  if (last.outcome !== 'matches' && last.outcome !== 'differs')
    throw new NotVerified(`the verification of ${name} ${last.outcome}: ${last.failure ?? 'it has no result'}`);
  return last;
}

/** `listeners: different KEY: state is "paused", the events say "active"` */
function lineOf({ view, kind, key, fields, message }: ViewDifference): string {
  if (key === null) return `${view}: ${kind}: ${message}`;
  const details = Object.entries(fields).map(
    ([name, { expected, actual }]) =>
      `${name} is ${JSON.stringify(actual)}, the events say ${JSON.stringify(expected)}`,
  );
  return `${view}: ${kind} ${key}${kind === 'different' ? `: ${details.join('; ')}` : ''}`;
}
