import { setTimeout as pause } from 'node:timers/promises';
import { rebuildProjectionRoute, showProjectionRoute } from '../../admin/api/contracts/projections.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

class RebuildFailed extends DomainError {
  readonly code = 'rebuild_failed';
}

const lookEveryMs = 500;

/** Has the service rebuild the views, one after the other, and shows the progress; the rebuild goes on where the command is ended. */
export async function rebuildRemotely(
  names: readonly string[],
  verify: boolean,
  { output, call }: CommandContext,
): Promise<void> {
  for (const name of names) {
    const progress = progressOf(output);
    const { build: before } = await call(showProjectionRoute, { name });
    let view = await call(rebuildProjectionRoute, { name, verify });
    while (view.rebuild) {
      const { progress: at } = view.rebuild;
      if (at) progress.report(`${name}, ${at.phase}`, Number(at.position), Number(at.head), at.events);
      await pause(lookEveryMs);
      view = await call(showProjectionRoute, { name });
    }
    progress.end();
    // Another instance may answer than the one that rebuilt: the live build says whether it was done.
    if (view.build === before)
      throw new RebuildFailed(`${name} was not rebuilt: ${view.rebuildFailure ?? 'the log of the service says why'}`);
    printResult(output, { projection: name, build: view.build }, `${name}: rebuilt`);
  }
}
