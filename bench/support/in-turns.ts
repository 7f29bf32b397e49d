export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

type Sides = { ours: () => Promise<number>; peer: () => Promise<number> };

/**
 * Medians of two measurements in turns, each first equally often, so that the machine's noise meets both. `warmUps`
 * rounds do not count.
 */
export async function mediansInTurns(
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
  sides: Sides,
): Promise<{ ours: number; peer: number }> {
  const values = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      const value = await sides[side]();
      if (round >= warmUps) values[side].push(value);
    }
  }
  return { ours: median(values.ours), peer: median(values.peer) };
}

export async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
