import { projections } from '../../../projections/index.js';
import { type ViewDifference, verifyViews } from '../../admin/audit/verify-views.js';
import { ViewsDiffer } from '../../admin/errors.js';
import { withScratchUntilSignal } from '../../service/stores/scratch-read-model.js';
import type { CommandContext } from '../context.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

export async function verify(_: object, { output, withStores }: CommandContext): Promise<void> {
  const progress = progressOf(output);
  let differences = 0;
  let skipped = 0;
  const onVerified = (phase: string, view: string, done: number, total: number) =>
    progress.report(`${phase} ${view}`, done, total);
  await withStores((stores) =>
    withScratchUntilSignal(async (scratch) => {
      const sources = { store: await stores.events(), readModel: await stores.readModel(), scratch, projections };
      for await (const difference of verifyViews({ ...sources, onVerified })) {
        if (difference.kind === 'skipped') skipped += 1;
        else differences += 1;
        progress.end();
        printResult(output, difference, lineOf(difference));
      }
    }),
  ).finally(progress.end);
  const views = projections.map(({ name }) => name);
  if (differences > 0) throw new ViewsDiffer(`the views differ from the events: differences ${differences}`);
  const butFor = skipped === 0 ? '' : `, except for skipped events ${skipped}`;
  const text = `${counted(views.length, 'view matches', 'views match')} the events${butFor}: ${views.join(', ')}`;
  printResult(output, { views, differences, skipped }, text);
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
