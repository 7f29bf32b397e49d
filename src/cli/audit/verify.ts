import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { projections } from '../../../projections/index.js';
import { ViewsDiffer } from '../../audit/errors.js';
import { type ViewDifference, verifyViews } from '../../audit/verify-views.js';
import type { ReadModel } from '../../read-model/read-model.js';
import { openSqliteReadModel } from '../../read-model/sqlite/sqlite-read-model.js';
import { contextOf } from '../command-context.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** `audit verify`: whether the views say what the events say. */
export async function verify(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const progress = progressOf(output);
  let differences = 0;
  let skipped = 0;
  try {
    await withStores((stores) =>
      withScratch(async (scratch) => {
        const onVerified = (phase: string, view: string, done: number, total: number) =>
          progress.report(`${phase} ${view}`, done, total);
        const sources = { store: await stores.events(), readModel: await stores.readModel(), scratch, projections };
        for await (const difference of verifyViews({ ...sources, onVerified })) {
          if (difference.kind === 'skipped') skipped += 1;
          else differences += 1;
          progress.end();
          printResult(output, difference, lineOf(difference));
        }
      }),
    );
  } finally {
    progress.end();
  }
  const views = projections.map(({ name }) => name);
  if (differences > 0) throw new ViewsDiffer(`the views are not what the events say: differences ${differences}`);
  const butFor = skipped === 0 ? '' : `, but for skipped events ${skipped}`;
  const text = `${counted(views.length, 'view says', 'views say')} what the events say${butFor}: ${views.join(', ')}`;
  printResult(output, { views, differences, skipped }, text);
}

/**
 * A read model in a temporary directory of its own, which takes as much room as the views do. It goes at the end, also where
 * that is a signal.
 */
async function withScratch<Result>(work: (scratch: ReadModel) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-hooks-verify-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal); // now it does what it does to whoever does not listen
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const scratch = openSqliteReadModel({ directory });
    return await work(scratch).finally(() => scratch.close());
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    remove();
  }
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
