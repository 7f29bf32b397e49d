import type { CoresBusy } from './cpu.js';

/** One figure: a ratio against a named peer in the same run. Absolute values depend on the machine and mean nothing alone. */
export type Figure = {
  /** What was measured, and against what. */
  readonly figure: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
  /** The server that both sides used, where it is not ours: a stand-in's speed is not the product's. */
  readonly server?: string;
  /** How many cores each process kept busy on either side, where several share them. */
  readonly coresBusy?: Readonly<Record<string, CoresBusy>>;
  /** What kept either side from being faster. */
  readonly binds?: Readonly<Record<string, string>>;
  /** What a small, journalled write to MongoDB took beside the load of either side, in milliseconds. */
  readonly mongoDbWriteMs?: Readonly<Record<string, number>>;
};

/** Prints a figure as one JSON line. */
export function report({ figure, ours, peer, unit, target, ...rest }: Figure): void {
  const ratio = ours / peer;
  const met = 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
  const line = { figure, ratio: rounded(ratio), target, met, ours: rounded(ours), peer: rounded(peer), unit, ...rest };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const rounded = (value: number): number => Number(value.toPrecision(3));

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
