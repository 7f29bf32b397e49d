import { setTimeout as pause } from 'node:timers/promises';
import { projections } from '../../../projections/index.js';
import { rebuildProjectionRoute, showProjectionRoute } from '../../admin/api/contracts/projections.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Projection } from '../../stores/read-model/projection.js';
import { type Rebuilt, rebuild } from '../../stores/read-model/rebuilding/rebuild.js';
import type { RebuildProgress } from '../../stores/read-model/rebuilds.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';
import { projectionNamed } from './names.js';

type Options = { all?: boolean; verify?: boolean };

/** A signal ended the rebuild. */
class RebuildStopped extends DomainError {
  readonly code = 'rebuild_stopped';
}

class RebuildFailed extends DomainError {
  readonly code = 'rebuild_failed';
}

export async function rebuildViews(
  name: string | undefined,
  { all, verify = false }: Options,
  context: CommandContext,
): Promise<void> {
  if (name !== undefined && all) throw new UsageError('name one projection or say --all, not both');
  if (name === undefined && !all) throw new UsageError('name a projection, or say --all');
  const only = name === undefined ? undefined : projectionNamed(name);
  const { output, remote } = context;
  const rebuilding = remote ? rebuildThere : rebuildHere;
  for (const projection of projections.filter((each) => only === undefined || each.name === only)) {
    const progress = progressOf(output);
    const report: Report = ({ phase, position, head, events }) => {
      const label = phase === 'loading' ? projection.name : `${projection.name}, ${phase}`;
      if (phase !== 'done') progress.report(label, Math.max(0, Number(position)), Math.max(0, Number(head)), events);
    };
    const rebuilt = await rebuilding(projection, verify, context, report).finally(progress.end);
    printResult(output, { projection: projection.name, ...rebuilt }, sentenceOf(projection, rebuilt, verify));
  }
}

type Report = (
  progress: Record<'position' | 'head', bigint | string> & Pick<RebuildProgress, 'phase' | 'events'>,
) => void;

/** A service keeps only the name of the build. */
type Outcome = { build: string | null } | (Omit<Rebuilt, 'verified'> & { verified: number | null });

type Rebuilding = (
  projection: Projection,
  verify: boolean,
  context: CommandContext,
  report: Report,
) => Promise<Outcome>;

/** A signal stops it; the next rebuild continues the unfinished build. */
const rebuildHere: Rebuilding = async (projection, verify, { local }, onProgress) => {
  const stopping = new AbortController();
  const stop = () =>
    stopping.abort(new RebuildStopped(`the rebuild of ${projection.name} was stopped: the same command continues it`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const { verified = null, ...rebuilt } = await local()
    .withStores(async (stores) => {
      const [store, readModel] = await Promise.all([stores.events(), stores.readModel()]);
      return rebuild({ store, readModel, projection, verify, signal: stopping.signal, onProgress });
    })
    .finally(() => process.off('SIGINT', stop).off('SIGTERM', stop));
  return { ...rebuilt, verified };
};

const lookEveryMs = 500;

/** The service continues the rebuild where the command is ended. */
const rebuildThere: Rebuilding = async ({ name }, verify, { call }, report) => {
  const { build: before } = await call(showProjectionRoute, { name });
  let view = await call(rebuildProjectionRoute, { name, verify });
  while (view.rebuild) {
    if (view.rebuild.progress) report(view.rebuild.progress);
    await pause(lookEveryMs);
    view = await call(showProjectionRoute, { name });
  }
  // Another instance may answer than the one that rebuilt: a new live build shows that it was done.
  if (view.build === before)
    throw new RebuildFailed(`${name} was not rebuilt: ${view.rebuildFailure ?? 'the log of the service says why'}`);
  return { build: view.build };
};

function sentenceOf({ name }: Projection, rebuilt: Outcome, verify: boolean): string {
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
