import { listViewsRoute, showViewRoute } from '../../admin/api/contracts/views.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { CommandContext } from '../context.js';
import { printRows } from '../output.js';
import { viewNamed } from './names.js';

/** Prints the position and the state of each view, or of one. */
export async function status(name: string | undefined, _: object, context: CommandContext): Promise<void> {
  const views =
    name === undefined
      ? await context.allOf(listViewsRoute)
      : [await context.call(showViewRoute, { name: viewNamed(name) })];
  printRows(
    context.output,
    views.map(stored),
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

/** Prints the builds of each view. */
export async function list(_: object, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    (await allOf(listViewsRoute)).map(stored),
    {
      view: 'name',
      version: 'version',
      live: ({ build }) => build ?? 'not built yet',
      others: ({ otherBuilds }) => otherBuilds.join(' '),
    },
    '',
  );
}

type View = RouteAnswer<typeof showViewRoute>;

/** Fields in the store, without those that only an instance of the service knows. */
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
