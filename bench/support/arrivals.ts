import { type Server, startModule } from '../processes/processes.js';

/** `at`: milliseconds on the clock of `now`. */
export type Arrival = { event: string; at: number };

/** Milliseconds; all processes of a machine share this monotonic clock. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

export type Sink = Server & {
  /** Resolves with the posts since the last call, once there are `count`. */
  arrivals: (count: number) => Promise<readonly Arrival[]>;
};

/** `connections`: of its pool. */
export async function startSink(
  connections: number,
  { listeners = 'answer', host = '127.0.0.1' }: { listeners?: 'answer' | 'hang'; host?: string } = {},
): Promise<Sink> {
  const server = await startModule('sink', connections, listeners, host);
  return { ...server, arrivals: async (count) => (await server.ask(count)) as readonly Arrival[] };
}

export function latencies(arrivals: readonly Arrival[], handedOver: ReadonlyMap<string, number>): readonly number[] {
  return arrivals.flatMap(({ event, at }) => {
    const since = handedOver.get(event);
    return since === undefined ? [] : [at - since];
  });
}
