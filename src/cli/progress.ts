import type { Output } from './output.js';

/** Tells how far long work has come. */
export type Progress = {
  /** `done` of `total`, in whatever the phase counts; another phase begins anew. */
  readonly report: (phase: string, done: number, total: number) => void;
  /** Leaves nothing unfinished on the terminal. */
  readonly end: () => void;
};

export type Terminal = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

type Options = {
  readonly terminal?: Terminal;
  /** Milliseconds, monotonic. */
  readonly clock?: () => number;
};

type Phase = { readonly name: string; readonly since: number; readonly from: number };

const barWidth = 20;
const everyMs = { terminal: 100, json: 1_000 };

/**
 * A bar on the terminal, on standard error, where a table is printed; a line of JSON each second, and one at the end of each
 * phase, where JSON is; nothing where neither would be read.
 */
export function progressOf(
  output: Output,
  { terminal = process.stderr, clock = () => performance.now() }: Options = {},
): Progress {
  const isShown = output.json || terminal.isTTY === true;
  const interval = output.json ? everyMs.json : everyMs.terminal;
  let phase: Phase | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;

  function report(name: string, done: number, total: number): void {
    if (!isShown) return;
    const now = clock();
    if (phase?.name !== name) {
      end();
      phase = { name, since: now, from: done };
      shownAt = Number.NEGATIVE_INFINITY;
    }
    if (done < total && now - shownAt < interval) return;
    shownAt = now;
    show(phase, done, total, now);
  }

  function show({ name, since, from }: Phase, done: number, total: number, now: number): void {
    const seconds = (now - since) / 1_000;
    const perSecond = seconds > 0 ? Math.round((done - from) / seconds) : undefined;
    const secondsLeft = perSecond ? Math.ceil((total - done) / perSecond) : undefined;
    if (output.json) output.write(JSON.stringify({ progress: name, done, total, perSecond, secondsLeft }));
    else terminal.write(`\r${lineOf({ name, done, total, perSecond, secondsLeft })}\x1b[K`);
  }

  function end(): void {
    if (phase && !output.json) terminal.write('\n');
    phase = undefined;
  }

  return { report, end };
}

type Shown = {
  readonly name: string;
  readonly done: number;
  readonly total: number;
  readonly perSecond: number | undefined;
  readonly secondsLeft: number | undefined;
};

/** `copying events  ██████░░░░  60 %  600 of 1,000  200/s  2 s left`; at most 80 columns up to ten million. */
function lineOf({ name, done, total, perSecond, secondsLeft }: Shown): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.floor(share * barWidth);
  return [
    name.padEnd(16),
    '█'.repeat(full) + '░'.repeat(barWidth - full),
    `${Math.floor(share * 100)} %`.padStart(5),
    `${grouped(done)} of ${grouped(total)}`,
    ...(perSecond === undefined ? [] : [`${grouped(perSecond)}/s`]),
    ...(secondsLeft === undefined || done >= total ? [] : [`${timeOf(secondsLeft)} left`]),
  ].join('  ');
}

const grouped = (count: number): string => count.toLocaleString('en');

function timeOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
