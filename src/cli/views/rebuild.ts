import { setTimeout as pause } from 'node:timers/promises';
import { rebuildViewRoute, showViewRoute } from '../../admin/api/contracts/views.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';
import { viewNamed, viewNames } from './names.js';

type Options = { all?: boolean; verify?: boolean };

type View = RouteAnswer<typeof showViewRoute>;

/** A signal ended the rebuild. */
class RebuildStopped extends DomainError {
  readonly code = 'rebuild_stopped';
}

class RebuildFailed extends DomainError {
  readonly code = 'rebuild_failed';
}

/** Rebuilds one view or all, by the routes of a service or in this process. Throws `UsageError`, and the errors of the routes. */
export async function rebuildViews(
  name: string | undefined,
  { all, verify = false }: Options,
  context: CommandContext,
): Promise<void> {
  if (name !== undefined && all) throw new UsageError('name one view or say --all, not both');
  if (name === undefined && !all) throw new UsageError('name a view, or say --all');
  const names = name === undefined ? viewNames.split(', ') : [viewNamed(name)];
  for (const each of names) {
    const { build, lastRebuild } = await rebuild(each, verify, context);
    const result = lastRebuild?.build === build ? lastRebuild : { build };
    printResult(context.output, { view: each, ...result }, sentenceOf(each, result, verify));
  }
}

const firstPauseMs = 20;
const maxPauseMs = 500;
/** Maximum number of requests after the end: of several instances, the one that rebuilt may answer seldom. */
const maxChecks = 50;

/** A service continues the rebuild where the command is ended; in this process a signal stops it, and the next one continues it. */
async function rebuild(
  name: string,
  verify: boolean,
  { call, output, remote, stopOnSignal }: CommandContext,
): Promise<View> {
  const signal = remote ? undefined : stopOnSignal();
  const progress = progressOf(output);
  try {
    const { build: before } = await call(showViewRoute, { name });
    let view = await call(rebuildViewRoute, { name, verify });
    let pauseMs = firstPauseMs;
    for (let checks = 0; view.rebuild || (view.build === before && view.rebuildFailure === null); ) {
      if (view.rebuild?.progress) report(name, view.rebuild.progress, progress);
      else if (++checks > maxChecks) break;
      await pause(pauseMs, undefined, { signal }).catch(() => {
        throw new RebuildStopped(`the rebuild of ${name} was stopped: the same command continues it`);
      });
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      view = await call(showViewRoute, { name });
    }
    // Another instance may answer than the one that rebuilt: a new live build shows that it was done.
    if (view.build === before)
      throw new RebuildFailed(view.rebuildFailure ?? `${name} was not rebuilt: the log of the service says why`);
    return view;
  } finally {
    progress.end();
  }
}

function report(
  name: string,
  { phase, position, head, events }: NonNullable<NonNullable<View['rebuild']>['progress']>,
  progress: ReturnType<typeof progressOf>,
): void {
  const label = phase === 'loading' ? name : `${name}, ${phase}`;
  if (phase !== 'done') progress.report(label, Math.max(0, Number(position)), Math.max(0, Number(head)), events);
}

function sentenceOf(
  name: string,
  rebuilt: Pick<View, 'build'> | NonNullable<View['lastRebuild']>,
  verify: boolean,
): string {
  if (!('events' in rebuilt)) return `${name}: rebuilt`;
  const { events, seconds, resumed, verified } = rebuilt;
  const compared =
    verified === null
      ? 'there was no build to compare with'
      : `${counted(verified, 'document is', 'documents are')} the same`;
  return [
    `${name}: rebuilt from ${counted(events, 'event')} in ${seconds.toFixed(1)} s`,
    ...(resumed ? ['continued an unfinished build'] : []),
    ...(verify ? [compared] : []),
  ].join('; ');
}
