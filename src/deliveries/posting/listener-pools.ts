import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { AnswerReader, maxAnswerBytes } from './answer-reader.js';

type Entry = { pool: Pool; users: number; idleSince: number };

export type ListenerPools = {
  /** A pool of connections to this origin; the caller calls `release` when its request has ended. */
  acquire: (origin: string) => { pool: Pool; release: () => void };
  /** Closes the connections of the pools that are not in use. */
  closeIdle: () => void;
  /** Breaks off requests under way and closes all connections. */
  destroy: () => Promise<void>;
};

const idleMs = 30_000;

/**
 * One keep-alive pool of `connections` for each origin; at most `maxPools` and those in use. The longest idle pool
 * is closed for a new one, and others after `idleMs`.
 */
export function listenerPools({
  connect,
  connections,
  maxPools,
}: {
  connect: buildConnector.connector;
  connections: number;
  maxPools: number;
}): ListenerPools {
  const pools = new Map<string, Entry>(); // in the order of their last use
  const sweeping = setInterval(() => closeIdle(performance.now() - idleMs), idleMs / 3).unref();

  function closeIdle(since: number, most = Number.POSITIVE_INFINITY): void {
    let left = most;
    for (const [origin, { pool, users, idleSince }] of pools) {
      if (left === 0) return;
      if (users > 0 || idleSince > since) continue;
      left -= 1;
      pools.delete(origin);
      void pool.destroy();
    }
  }

  function open(origin: string): Entry {
    if (pools.size >= maxPools) closeIdle(Number.POSITIVE_INFINITY, 1);
    // One deadline covers a whole attempt, so undici's own are off; it never sends a request a second time by itself.
    const pool = new Pool(origin, {
      connect,
      connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxAnswerBytes,
      factory: (url, options) => new ListenerConnection(url, { ...options, connect }),
    });
    return { pool, users: 0, idleSince: 0 };
  }

  return {
    acquire(origin) {
      const entry = pools.get(origin) ?? open(origin);
      entry.users += 1;
      pools.delete(origin);
      pools.set(origin, entry);
      return {
        pool: entry.pool,
        release() {
          entry.users -= 1;
          entry.idleSince = performance.now();
        },
      };
    },
    closeIdle: () => closeIdle(Number.POSITIVE_INFINITY),
    async destroy() {
      clearInterval(sweeping);
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}

/** A request that receives the connection that it is sent on. */
export type ListenerDispatch = Dispatcher.DispatchOptions & { connection?: ListenerConnection };

/** One connection of a pool, which knows the address at its other end. */
class ListenerConnection extends Client {
  private readonly remote: { address: string | undefined; reader: AnswerReader | undefined };

  constructor(origin: URL, options: Client.Options & { connect: buildConnector.connector }) {
    const remote: ListenerConnection['remote'] = { address: undefined, reader: undefined };
    const connect: buildConnector.connector = (to, callback) =>
      options.connect(to, (...result) => {
        const [, socket] = result;
        remote.address = socket?.remoteAddress;
        remote.reader = socket ? new AnswerReader(socket) : undefined;
        callback(...result);
      });
    super(origin, { ...options, connect });
    this.remote = remote;
  }

  /** Undefined before it is connected. */
  get address(): string | undefined {
    return this.remote.address;
  }

  /** Status of the answer that is expected, as soon as its status line has arrived. */
  get status(): number | undefined {
    return this.remote.reader?.status;
  }

  /** Call before a request is written. */
  expectAnswer(): void {
    this.remote.reader?.expect();
  }

  /**
   * True if the server may have closed it, as idle, before the latest request arrived: such a request is not answered.
   */
  get mayBeStale(): boolean {
    return this.remote.reader?.isSilentAgain ?? false;
  }

  // A pool passes on the options unchanged; the handler is wrapped.
  override dispatch(options: ListenerDispatch, handler: Dispatcher.DispatchHandler): boolean {
    options.connection = this;
    return super.dispatch(options, handler);
  }
}
