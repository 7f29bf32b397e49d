import { projections } from '../../../projections/index.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import { type ViewStatus, viewStatus } from '../../stores/read-model/following/view-status.js';
import type { Projection } from '../../stores/read-model/projection.js';
import { cancelRebuild } from '../../stores/read-model/rebuilding/rebuild.js';
import { skipEvent } from '../../stores/read-model/skipped-events.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';

export async function list(_: object, { output, withStores }: CommandContext): Promise<void> {
  const views = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    const of = async (projection: Projection) => ({
      name: projection.name,
      version: projection.version,
      live: (await readModel.live(projection)) ?? null,
      builds: await readModel.builds(projection),
    });
    return Promise.all(projections.map(of));
  });
  printRows(
    output,
    views,
    {
      view: 'name',
      version: 'version',
      live: ({ live }) => live ?? 'not built yet',
      others: ({ live, builds }) => builds.filter((build) => build !== live).join(' '),
    },
    '',
  );
}

export async function status(
  name: string | undefined,
  _: object,
  { output, withStores }: CommandContext,
): Promise<void> {
  const wanted = name === undefined ? projections : [projectionNamed(name)];
  const views = await withStores(async (stores) => {
    const sources = { store: await stores.events(), readModel: await stores.readModel() };
    return Promise.all(wanted.map((projection) => viewStatus(sources, projection)));
  });
  printRows(
    output,
    views,
    {
      view: 'name',
      version: 'version',
      position: 'position',
      head: 'head',
      lag: ({ lag }) => lagText(lag),
      state: stateText,
    },
    '',
  );
}

const cancelledTexts = {
  asked: 'the process that rebuilds it stops after its current batch',
  dropped: 'the unfinished build was dropped',
  none: 'no rebuild is running, and none was left unfinished',
} as const;

export async function cancel(name: string, _: object, { output, withStores }: CommandContext): Promise<void> {
  const projection = projectionNamed(name);
  const cancelled = await withStores(async (stores) => cancelRebuild(await stores.readModel(), projection));
  printResult(output, { projection: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`);
}

export async function skip(
  name: string,
  text: string,
  { why }: { readonly why: string },
  { output, withEventStore, causeNow }: CommandContext,
): Promise<void> {
  const projection = projectionNamed(name);
  const position = parsePosition(text);
  if (position === undefined) throw new UsageError(`a position is a whole number from 0 to ${maxPosition}`);
  if (why.trim() === '') throw new UsageError('--why must give a reason');
  const skipped = await withEventStore((store) => skipEvent(store, projection, { position, why }, causeNow()));
  printResult(
    output,
    skipped,
    `${name} leaves out ${skipped.eventType} at revision ${skipped.revision} of ${skipped.stream}; a view that has ` +
      'stopped before it continues within a minute',
  );
}

export function projectionNamed(name: string): Projection {
  const projection = projections.find((each) => each.name === name);
  if (!projection) {
    const names = projections.map((each) => each.name).join(', ');
    throw new UsageError(`there is no projection ${name}: there are ${names}`);
  }
  return projection;
}

/** `0`, `12 events, 3 s`, `1000+ events, 40 s`. */
function lagText(lag: ViewStatus['lag']): string {
  if (!lag) return '';
  if (lag.events === 0) return '0';
  return `${lag.events}${lag.orMore ? '+' : ''} events, ${Math.ceil(lag.seconds)} s`;
}

/** The state of a view, the error that stopped it, and the progress of its rebuild. */
function stateText({ build, error, setAside, rebuild }: ViewStatus): string {
  const unbuilt = setAside ? `damaged, and set aside as ${setAside.as}` : 'not built yet';
  const view = error ? `stopped: ${error.message}` : build === null ? unbuilt : 'live';
  return rebuild ? `${view}; ${rebuildText(rebuild)}` : view;
}

function rebuildText({ holder, cancelled, progress }: NonNullable<ViewStatus['rebuild']>): string {
  const share = progress ? ` at ${percent(progress)} %` : '';
  if (!holder) return `a rebuild was left unfinished${share}`;
  const rate = progress ? `, ${progress.phase}, ${progress.perSecond} events/s` : '';
  const end = cancelled ? ', being cancelled' : '';
  return `being rebuilt${share} by process ${holder.pid} on ${holder.host}${rate}${end}`;
}

const percent = ({ position, head }: { readonly position: string; readonly head: string }): number =>
  head === '0' ? 100 : Math.max(0, Math.floor((Number(position) / Number(head)) * 100));
