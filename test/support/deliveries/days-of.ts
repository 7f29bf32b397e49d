import type { AttemptsOfPeriod, DeliveryLog } from '../../../src/queue/delivery-log.js';

type Days = { orgId: string; listenerId?: string; from: string; to: string };

/** Attempts by listener and day, both days included. */
export async function daysOf(
  queue: Pick<DeliveryLog, 'statistics'>,
  { from, to, ...of }: Days,
): Promise<readonly (Omit<AttemptsOfPeriod, 'at'> & { day: string })[]> {
  const period = { from: Date.parse(from), to: Date.parse(to) + 86_400_000 };
  const found = await queue.statistics({ by: 'day', ...of, ...period });
  return found.map(({ at, ...counts }) => ({ day: new Date(at).toISOString().slice(0, 10), ...counts }));
}
