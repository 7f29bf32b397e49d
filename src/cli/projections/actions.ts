import {
  cancelRebuildRoute,
  listProjectionsRoute,
  showProjectionRoute,
  skipEventRoute,
} from '../../admin/api/contracts/projections.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';
import { projectionNamed } from './names.js';

export async function list(_: object, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    (await allOf(listProjectionsRoute)).map(stored),
    {
      view: 'name',
      version: 'version',
      live: ({ build }) => build ?? 'not built yet',
      others: ({ otherBuilds }) => otherBuilds.join(' '),
    },
    '',
  );
}

export async function status(
  name: string | undefined,
  _: object,
  { output, allOf, call }: CommandContext,
): Promise<void> {
  printRows(
    output,
    (name === undefined
      ? await allOf(listProjectionsRoute)
      : [await call(showProjectionRoute, { name: projectionNamed(name) })]
    ).map(stored),
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

export async function cancel(name: string, _: object, { output, call }: CommandContext): Promise<void> {
  const { cancelled } = await call(cancelRebuildRoute, { name: projectionNamed(name) });
  printResult(output, { projection: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`);
}

export async function skip(
  name: string,
  text: string,
  { why }: { why: string },
  { output, call }: CommandContext,
): Promise<void> {
  projectionNamed(name);
  if (parsePosition(text) === undefined) throw new UsageError(`a position is a whole number from 0 to ${maxPosition}`);
  if (why.trim() === '') throw new UsageError('--why must give a reason');
  const skipped = await call(skipEventRoute, { name, position: text, why });
  printResult(
    output,
    skipped,
    `${name} leaves out ${skipped.eventType} at revision ${skipped.revision} of ${skipped.stream}; a view that has ` +
      'stopped before it continues within a minute',
  );
}

type View = RouteAnswer<typeof showProjectionRoute>;

/** Fields in the store, without those that only a service knows, of its own instance. */
const stored = ({ caughtUp: _c, eventsPerSecond: _e, holder: _h, rebuildFailure: _r, ...view }: View) => view;

type ViewStatus = ReturnType<typeof stored>;

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

const percent = ({ position, head }: { position: string; head: string }): number =>
  head === '0' ? 100 : Math.max(0, Math.floor((Number(position) / Number(head)) * 100));
