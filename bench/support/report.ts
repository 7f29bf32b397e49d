import type { CoresBusy } from './cpu.js';

/** Times of synced writes, in milliseconds. */
export type SyncedWrites = { readonly p50: number; readonly p99: number };

/** One figure: a ratio against a named peer in the same run. Absolute values depend on the machine and mean nothing alone. */
export type Figure = {
  /** The measurement and its peer. */
  readonly figure: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  /** Of the ratio; `atMostAbove`: of the difference, in the unit; `oursAtMost`: of our value. Undefined: there is none. */
  readonly target?:
    | { readonly atLeast: number }
    | { readonly atMost: number }
    | { readonly atMostAbove: number }
    | { readonly oursAtMost: number };
  /** The value of a minimal implementation on the same packages, in the unit: its ratio to the peer is printed. */
  readonly ceiling?: number;
  /** The server that both sides used, where it is not ours: a stand-in's speed is not the product's. */
  readonly server?: string;
  /** Cores that each process kept busy on either side, if several share them. */
  readonly coresBusy?: Readonly<Record<string, CoresBusy>>;
  /** The bottleneck of either side. */
  readonly binds?: Readonly<Record<string, string>>;
  /** The time of a small, journalled write to MongoDB during the load of either side, in milliseconds. */
  readonly mongoDbWriteMs?: Readonly<Record<string, number>>;
  /** The time of a synced write of a page to the disk during the load of either side, in milliseconds. */
  readonly syncedWriteMs?: Readonly<Record<string, SyncedWrites>>;
};

/** Prints a figure as one JSON line. */
export function report({ figure, ours, peer, unit, target, ceiling, ...rest }: Figure): void {
  const ratio = ours / peer;
  const met = target && isMet(target, ours, peer);
  const most = ceiling && rounded(ceiling / peer);
  const figures = { ratio: rounded(ratio), target, met, ceiling: most, ours: rounded(ours), peer: rounded(peer), unit };
  const line = { figure, ...figures, ...rest };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function isMet(target: NonNullable<Figure['target']>, ours: number, peer: number): boolean {
  if ('atLeast' in target) return ours / peer >= target.atLeast;
  if ('atMost' in target) return ours / peer <= target.atMost;
  if ('oursAtMost' in target) return ours <= target.oursAtMost;
  return ours - peer <= target.atMostAbove;
}

/** A figure with its own bound and no peer: a waiting time of a user, or a size limit. */
export type BoundFigure = Pick<Figure, 'figure' | 'ours' | 'unit'> & { readonly target: { readonly atMost: number } };

/** Prints such a figure as one JSON line. */
export function reportBound({ figure, ours, unit, target }: BoundFigure): void {
  const line = { figure, target, met: ours <= target.atMost, ours: rounded(ours), unit };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Sizes in bytes at half time and at the end of a long run. `atMostBytes`: a bound that the size may grow to. */
export type Growth = {
  readonly figure: string;
  readonly half: number;
  readonly end: number;
  readonly unit: string;
  /** The bound of a size that rises and falls; else it may grow by 5 %. */
  readonly atMost?: number | undefined;
};

const atMostGrowth = 0.05;

/**
 * Prints how a size has grown in the second half, as one JSON line. The run fails where it has grown beyond 5 %, or beyond
 * its bound where it has one.
 */
export function reportGrowth({ figure, half, end, unit, atMost }: Growth): void {
  const growth = end === half ? 0 : end / half - 1;
  const met = atMost === undefined ? growth <= atMostGrowth : end <= atMost;
  if (!met) process.exitCode = 1;
  const target = atMost === undefined ? { atMostGrowth } : { atMost };
  const line = { figure, target, met, growth: Number(growth.toFixed(3)), half, end, unit };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const rounded = (value: number): number => Number(value.toPrecision(3));
