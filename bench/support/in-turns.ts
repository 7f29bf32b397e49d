/** The value that this share of the values stays below. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

type Sides = { readonly ours: () => Promise<number>; readonly peer: () => Promise<number> };

/**
 * Medians of two measurements, made in turns, each first as often as second, so that the noise of the machine meets both. The first
 * `warmUps` rounds do not count.
 */
export async function mediansInTurns(
  { rounds, warmUps = 1 }: { readonly rounds: number; readonly warmUps?: number },
  sides: Sides,
): Promise<{ readonly ours: number; readonly peer: number }> {
  const values = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      const value = await sides[side]();
      if (round >= warmUps) values[side].push(value);
    }
  }
  return { ours: median(values.ours), peer: median(values.peer) };
}

/** Duration of some work, in milliseconds. */
export async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
