import { startService } from '../processes/processes.js';
import { latencies, type Sink } from './arrivals.js';
import { sendPaced } from './flow-events.js';
import { quantile } from './in-turns.js';
import { report } from './report.js';

export type Service = Awaited<ReturnType<typeof startService>>;

export const connections = 64;
export const perSecond = 200;
const rounds = 4;
const warmUpSeconds = 5;

type Beside = {
  readonly sink: Sink;
  /** One service for each side, because its trouble outlasts a round. */
  readonly start: () => Promise<Service>;
  readonly roundSeconds?: number;
  /** True if it publishes an event to a measured listener. */
  readonly send: (service: Service, id: string, number: number, isTroubled: boolean) => Promise<boolean>;
  /** Completes "publish to arrival at …, p99". */
  readonly figure: (what: string) => string;
  readonly atMost: number;
  readonly stop?: () => Promise<void>;
};

/** Latency of listeners beside a trouble, against without it, in turns. */
export async function reportBeside({
  sink,
  start,
  roundSeconds = 10,
  send,
  figure,
  atMost,
  stop,
}: Beside): Promise<void> {
  async function measure(service: Service, isTroubled: boolean, seconds = roundSeconds): Promise<readonly number[]> {
    let expected = 0;
    const handedOver = await sendPaced({ perSecond, count: perSecond * seconds }, async (id, number) => {
      if (await send(service, id, number, isTroubled)) expected += 1;
    });
    return latencies(await sink.arrivals(expected), handedOver);
  }

  const [calm, troubled] = [await start(), await start()];
  for (const service of [calm, troubled]) await measure(service, false, warmUpSeconds);
  const without: number[] = [];
  const beside: number[] = [];
  const turns = [
    async () => without.push(...(await measure(calm, false))),
    async () => beside.push(...(await measure(troubled, true))),
  ];
  for (let round = 0; round < rounds; round += 1) for (const turn of turns.reverse()) await turn();
  report({
    figure: figure(`${perSecond} a second for ${rounds * roundSeconds} s, p99`),
    ours: quantile(beside, 0.99),
    peer: quantile(without, 0.99),
    unit: 'ms',
    target: { atMost },
  });
  await stop?.();
  await calm.stop();
  await troubled.stop();
}

/** Logs errors only: a trouble logs many warnings. */
export const startQuiet = (directory: string): Promise<Service> =>
  startService(directory, connections, { LOG_LEVEL: 'error' });
