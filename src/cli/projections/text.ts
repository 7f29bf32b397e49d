import type { ViewStatus } from '../../stores/read-model/following/view-status.js';

/** `0`, `12 events, 3 s`, `1000+ events, 40 s`. */
export function lagText(lag: ViewStatus['lag']): string {
  if (!lag) return '';
  if (lag.events === 0) return '0';
  return `${lag.events}${lag.orMore ? '+' : ''} events, ${Math.ceil(lag.seconds)} s`;
}

/** The state of a view, the error that stopped it, and the progress of its rebuild. */
export function stateText({ build, error, setAside, rebuild }: ViewStatus): string {
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
