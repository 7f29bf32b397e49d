import type { CoresBusy } from './cpu.js';
import { isOverTls } from './own-certificate.js';

/** Milliseconds. */
export type SyncedWrites = { p50: number; p99: number };

/** A ratio against a named peer in the same run: absolute values depend on the machine. */
export type Figure = {
  figure: string;
  ours: number;
  peer: number;
  unit: string;
  /** Target of the ratio; `atMostAbove`: of the difference, in the unit; `oursAtMost`: of our value. */
  target?: { atLeast: number } | { atMost: number } | { atMostAbove: number } | { oursAtMost: number };
  /** Value of a minimal implementation on the same packages. */
  ceiling?: number;
  /** Server that is not ours: a stand-in's speed is not the product's. */
  server?: string;
  coresBusy?: Readonly<Record<string, CoresBusy>>;
  binds?: Readonly<Record<string, string>>;
  /** During the load of either side. */
  mongoDbWriteMs?: Readonly<Record<string, number>>;
  syncedWriteMs?: Readonly<Record<string, SyncedWrites>>;
};

export function report({ figure, ours, peer, unit, target, ceiling, ...rest }: Figure): void {
  const ratio = ours / peer;
  const met = target && isMet(target, ours, peer);
  const most = ceiling && rounded(ceiling / peer);
  const figures = { ratio: rounded(ratio), target, met, ceiling: most, ours: rounded(ours), peer: rounded(peer), unit };
  const line = { figure: isOverTls ? `${figure}, over TLS` : figure, ...figures, ...rest };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function isMet(target: NonNullable<Figure['target']>, ours: number, peer: number): boolean {
  if ('atLeast' in target) return ours / peer >= target.atLeast;
  if ('atMost' in target) return ours / peer <= target.atMost;
  if ('oursAtMost' in target) return ours <= target.oursAtMost;
  return ours - peer <= target.atMostAbove;
}

/** Figure without a peer: a waiting time of a user, or a size limit. */
export type BoundFigure = Pick<Figure, 'figure' | 'ours' | 'unit'> & { target: { atMost: number } };

export function reportBound({ figure, ours, unit, target }: BoundFigure): void {
  const line = { figure, target, met: ours <= target.atMost, ours: rounded(ours), unit };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Sizes at half time and at the end of a long run. */
export type Growth = {
  figure: string;
  half: number;
  end: number;
  unit: string;
  /** Bound of a size that rises and falls; without it, 5 % growth. */
  atMost?: number | undefined;
};

const atMostGrowth = 0.05;

/** The run fails where the size exceeds its bound. */
export function reportGrowth({ figure, half, end, unit, atMost }: Growth): void {
  const growth = end === half ? 0 : end / half - 1;
  const met = atMost === undefined ? growth <= atMostGrowth : end <= atMost;
  if (!met) process.exitCode = 1;
  const target = atMost === undefined ? { atMostGrowth } : { atMost };
  const line = { figure, target, met, growth: Number(growth.toFixed(3)), half, end, unit };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const rounded = (value: number): number => Number(value.toPrecision(3));
