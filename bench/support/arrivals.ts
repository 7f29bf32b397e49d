import { type Server, startModule } from '../processes/processes.js';

/** A post that arrived at a listener: its flow event, and its time in milliseconds on the clock of `now`. */
export type Arrival = { readonly event: string; readonly at: number };

/** Milliseconds on the monotonic clock, which all processes of a machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Listeners in a process of their own, one for each path. */
export type Sink = Server & {
  /** The posts that have arrived since the last call, as soon as there are `count` of them. */
  readonly arrivals: (count: number) => Promise<readonly Arrival[]>;
};

/** Starts listeners that answer 200, or never, at this loopback address. `connections`: of its pool. */
export async function startSink(
  connections: number,
  { listeners = 'answer', host = '127.0.0.1' }: { readonly listeners?: 'answer' | 'hang'; readonly host?: string } = {},
): Promise<Sink> {
  const server = await startModule('sink', connections, listeners, host);
  return { ...server, arrivals: async (count) => (await server.ask(count)) as readonly Arrival[] };
}

/** Time of each event from the call of the client to its arrival, in milliseconds. */
export function latencies(arrivals: readonly Arrival[], handedOver: ReadonlyMap<string, number>): readonly number[] {
  return arrivals.flatMap(({ event, at }) => {
    const since = handedOver.get(event);
    return since === undefined ? [] : [at - since];
  });
}
