import type { Output } from './output.js';

/** Reports the progress of long work. */
export type Progress = {
  /**
   * `done` of `total`, in the unit of the phase; another name begins another phase. `events`: the number to show instead,
   * where the unit means nothing to a reader, such as bytes of a log.
   */
  report: (phase: string, done: number, total: number, events?: number) => void;
  /** Reports the positions of events that work reads. */
  positions: (phase: string) => (position: bigint, head: bigint) => void;
  /** Ends the line on the terminal. */
  end: () => void;
};

type Terminal = { isTTY?: boolean; write: (text: string) => unknown };

type Options = {
  terminal?: Terminal;
  /** Milliseconds, monotonic. */
  clock?: () => number;
};

type Phase = { name: string; since: number; from: number; fromEvents: number };

const barWidth = 20;
/** Intervals between updates. */
const intervalsMs = { terminal: 100, json: 1_000 };

/**
 * Reports progress as a bar on standard error if that is a terminal; with `--json` as one line of JSON each second and at
 * the end of each phase; otherwise not at all.
 */
export function progressOf(
  output: Output,
  { terminal = process.stderr, clock = () => performance.now() }: Options = {},
): Progress {
  const isShown = output.json || terminal.isTTY === true;
  const intervalMs = output.json ? intervalsMs.json : intervalsMs.terminal;
  let phase: Phase | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;

  function report(name: string, done: number, total: number, events?: number): void {
    if (!isShown) return;
    const now = clock();
    if (phase?.name !== name) {
      end();
      phase = { name, since: now, from: done, fromEvents: events ?? 0 };
      shownAt = Number.NEGATIVE_INFINITY;
    }
    if (done < total && now - shownAt < intervalMs) return;
    shownAt = now;
    show(phase, { done, total, events }, now);
  }

  function show({ name, since, from, fromEvents }: Phase, { done, total, events }: Done, now: number): void {
    const seconds = (now - since) / 1_000;
    const perSecond = (count: number) => (seconds > 0 ? Math.round(count / seconds) : undefined);
    const speed = perSecond(done - from);
    const secondsLeft = speed ? Math.ceil((total - done) / speed) : undefined;
    const shown = { done, total, perSecond: perSecond(events === undefined ? done - from : events - fromEvents) };
    const counted = events === undefined ? {} : { events, lag: total - done };
    if (output.json) output.write(JSON.stringify({ progress: name, ...shown, secondsLeft, ...counted }));
    else terminal.write(`\r${lineOf({ name, ...shown, secondsLeft, events })}\x1b[K`);
  }

  function end(): void {
    if (phase && !output.json) terminal.write('\n');
    phase = undefined;
  }

  return {
    report,
    positions: (name) => (position, head) => report(name, Number(position), Number(head)),
    end,
  };
}

type Done = { done: number; total: number; events: number | undefined };

type Shown = Done & {
  name: string;
  perSecond: number | undefined;
  secondsLeft: number | undefined;
};

/** `copying events  ██████░░░░  60 %  600 of 1,000  200/s  2 s left`; at most 80 columns up to ten million. */
function lineOf({ name, done, total, perSecond, secondsLeft, events }: Shown): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.floor(share * barWidth);
  return [
    name.padEnd(16),
    '█'.repeat(full) + '░'.repeat(barWidth - full),
    `${Math.floor(share * 100)} %`.padStart(5),
    events === undefined ? `${grouped(done)} of ${grouped(total)}` : `${grouped(events)} events`,
    ...(perSecond === undefined ? [] : [`${grouped(perSecond)}/s`]),
    ...(secondsLeft === undefined || done >= total ? [] : [`${timeOf(secondsLeft)} left`]),
    ...(events === undefined || done >= total ? [] : [`lag ${grouped(total - done)}`]),
  ].join('  ');
}

const grouped = (count: number): string => count.toLocaleString('en');

function timeOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
