import { projections } from '../../../projections/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { Projection } from '../../stores/read-model/projection.js';
import { type Rebuilt, rebuild } from '../../stores/read-model/rebuilding/rebuild.js';
import type { RebuildProgress } from '../../stores/read-model/rebuilds.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import { type Progress, progressOf } from '../progress.js';
import { projectionNamed } from './names.js';
import { rebuildRemotely } from './remote-rebuild.js';

type Options = { all?: boolean; verify?: boolean };

/** A signal ended the rebuild. */
class RebuildStopped extends DomainError {
  readonly code = 'rebuild_stopped';
}

export async function rebuildViews(
  name: string | undefined,
  { all, verify = false }: Options,
  context: CommandContext,
): Promise<void> {
  const { output, remote, local } = context;
  if (name !== undefined && all) throw new UsageError('name one projection or say --all, not both');
  if (name === undefined && !all) throw new UsageError('name a projection, or say --all');
  const only = name === undefined ? undefined : projectionNamed(name);
  const wanted = projections.filter((projection) => only === undefined || projection.name === only);
  if (remote)
    return rebuildRemotely(
      wanted.map((projection) => projection.name),
      verify,
      context,
    );
  await local().withStores(async (stores) => {
    for (const projection of wanted) {
      const rebuilt = await rebuildShown(stores, projection, verify, progressOf(output));
      const { verified, ...rest } = rebuilt;
      const value = { projection: projection.name, ...rest, verified: verified ?? null };
      printResult(output, value, sentenceOf(projection, rebuilt, verify));
    }
  });
}

/** Rebuilds a view and shows the progress. A signal stops it; the next rebuild continues the unfinished build. */
async function rebuildShown(
  stores: Stores,
  projection: Projection,
  verify: boolean,
  progress: Progress,
): Promise<Rebuilt> {
  const stopping = new AbortController();
  const stop = () =>
    stopping.abort(new RebuildStopped(`the rebuild of ${projection.name} was stopped: the same command continues it`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await rebuild({
      store: await stores.events(),
      readModel: await stores.readModel(),
      projection,
      verify,
      signal: stopping.signal,
      onProgress: (each) => show(projection, each, progress),
    });
  } finally {
    progress.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function show({ name }: Projection, { phase, position, head, events }: RebuildProgress, { report }: Progress): void {
  if (phase === 'done') return;
  const label = phase === 'loading' ? name : `${name}, ${phase}`;
  report(label, Math.max(0, Number(position)), Math.max(0, Number(head)), events);
}

function sentenceOf({ name }: Projection, { events, seconds, resumed, verified }: Rebuilt, verify: boolean): string {
  const compared =
    verified === undefined
      ? 'there was no build to compare with'
      : `${counted(verified, 'document is', 'documents are')} the same`;
  return [
    `${name}: rebuilt from ${counted(events, 'event')} in ${seconds.toFixed(1)} s`,
    ...(resumed ? ['continued an unfinished build'] : []),
    ...(verify ? [compared] : []),
  ].join('; ');
}
